"""Aligned columns, as reports have them."""

from ..report.table import table

__all__ = ["table"]
