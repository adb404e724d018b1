"""Thin adapters from the core's values to Qt's item views, each with a table of its columns."""
