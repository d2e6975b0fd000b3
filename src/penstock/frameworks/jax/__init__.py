"""JAX as a source for the report: see `source.py`."""
