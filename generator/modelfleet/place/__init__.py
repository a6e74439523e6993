"""Where every replica runs: `place(fleet, recorded, targets) -> Plan`. Pure and total: it can fall short, it cannot fail."""

from .place import place, recorded_plan
from .plan import Plan, Refusal, Shortfall

__all__ = ["Plan", "Refusal", "Shortfall", "place", "recorded_plan"]
