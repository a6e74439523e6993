"""Where every replica runs: `place.place.place(fleet, recorded, targets) -> Plan`. Pure and total: it can fall short, it cannot fail.

Nothing is imported here: what renders records needs `place.plan` alone.
"""
