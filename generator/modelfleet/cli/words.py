"""Records and differences in words, as reports have them."""

from ..report.words import difference

__all__ = ["difference"]
