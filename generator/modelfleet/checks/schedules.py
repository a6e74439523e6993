"""Time zones of schedules: the scaler refuses a schedule whose zone it does not know, and then scales by nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .. import codes
from ..diagnostics import Report, nearest
from ..validate import Resource, Resources

Loc = tuple[str | int, ...]


def check_schedules(resources: Resources, report: Report) -> None:
    """BadValue for every time zone that is not in IANA's database."""
    for resource in resources.of("ModelDeployment").values():
        for loc, zone in _zones(resource):
            if not _known(zone):
                report.add(codes.BAD_VALUE, f"`{zone}` is no time zone of IANA's database", resource.at(*loc), _near(zone))


def _zones(resource: Resource) -> Iterator[tuple[Loc, str]]:
    spec = resource.model.spec
    for index, schedule in enumerate(spec.scaling.schedules if spec.scaling else ()):
        yield ("spec", "scaling", "schedules", index, "timezone"), schedule.timezone
    for e, engine in enumerate(spec.template.spec.engines):
        for index, schedule in enumerate(engine.scaling.schedules if engine.scaling else ()):
            yield ("spec", "template", "spec", "engines", e, "scaling", "schedules", index, "timezone"), schedule.timezone


@cache
def _known(zone: str) -> bool:
    try:
        return bool(ZoneInfo(zone).key)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder of zones is an OSError
        return False


def _near(zone: str) -> str:
    from zoneinfo import available_timezones  # it reads a list that only a mistake needs

    hint = nearest(zone, available_timezones())
    return hint if hint.startswith("did you mean") else "a name such as Europe/Berlin, or UTC"
