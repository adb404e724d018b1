"""One module a view: widgets put together and connected to a viewmodel, and nothing else."""
