"""Measurements: `python -m benchmarks [NAME...]` runs every module here that has a `main()`."""
