"""The views, one module each: widgets put together and connected to a viewmodel."""
