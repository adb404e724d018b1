"""Item models: adapters from the core's values to Qt's views, each with a table of its columns."""
