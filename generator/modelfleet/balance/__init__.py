"""Who answers a service at a front door: shares, their tiers and their weights. Pure.

Read by rendering, by checks and by `modelfleet endpoints`, so that what is shown is what is rendered.
"""

from .shares import Balance, LeftOut, Share, balance, fronts_of

__all__ = ["Balance", "LeftOut", "Share", "balance", "fronts_of"]
