"""What only several files together show. All of it, in one order; each module names what it looks at."""

from __future__ import annotations

from ..diagnostics import Report
from ..resolve.fleet import Fleet
from ..validate import Resources
from . import claims, hardware, notyet, references, schedules, services, shares, stack, teams
from .reach import Reach


def check_across(resources: Resources, fleet: Fleet, report: Report) -> None:
    """References, rights, services, hardware, and what this release does not do."""
    reach = Reach(fleet)
    references.check_references(resources, fleet, reach, report)
    references.check_fronts(resources, fleet, report)
    teams.check_teams(resources, fleet, reach, report)
    services.check_services(resources, report)
    shares.check_shares(resources, fleet, report)
    schedules.check_schedules(resources, report)
    hardware.check_hardware(resources, fleet, reach, report)
    claims.check_claims(resources, fleet, reach, report)
    stack.check_stack(resources, fleet, report)
    notyet.check_pending(resources, report)
