"""Schedules: when an autoscaled model has another floor."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from .base import Model, mistake

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
# name, least, most, words that stand for numbers from the least on
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of week", 0, 6, _DAYS),
)


def _cron(text: str) -> str:
    """`text`, if it is a line of cron with five fields."""
    parts = text.split()
    if len(parts) != len(_FIELDS):
        message = f"`{text}` has {len(parts)} fields; cron has five: minute, hour, day of month, month, day of week"
        raise mistake("BadValue", message, hint='"0 7 * * 1-5"')
    for part, (name, least, most, words) in zip(parts, _FIELDS, strict=True):
        if not all(_cron_item(item, least, most, words) for item in part.split(",")):
            raise mistake("BadValue", f"`{part}` cannot be the {name} of a line of cron ({least} to {most})", hint='"0 7 * * 1-5"')
    return text


def _cron_item(item: str, least: int, most: int, words: tuple[str, ...]) -> bool:
    """Whether `item` is `*`, a number or a range, perhaps with a step."""
    body, slash, step = item.partition("/")
    if slash and not (step.isascii() and step.isdigit() and int(step) > 0):
        return False
    if body == "*":
        return True
    ends = [_cron_number(end, least, words) for end in body.split("-")]
    return len(ends) <= 2 and all(least <= end <= most for end in ends) and ends == sorted(ends)


def _cron_number(text: str, least: int, words: tuple[str, ...]) -> int:
    if text.upper() in words:
        return words.index(text.upper()) + least
    return int(text) if text.isascii() and text.isdigit() else -1


Cron = Annotated[str, StringConstraints(min_length=9, max_length=128), AfterValidator(_cron)]
Timezone = Annotated[str, StringConstraints(max_length=64, pattern=r"^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}$")]


class Window(Model):
    """A time of the week."""

    start: Cron
    """When it begins: a line of cron with five fields."""
    end: Cron
    """When it ends."""
    timezone: Timezone
    """Time zone of the two, such as Europe/Berlin."""

    @model_validator(mode="after")
    def _has_length(self) -> Self:
        if self.start.split() == self.end.split():
            raise mistake("EmptyRange", "start and end are the same moment", "end", hint="a later end")
        return self


class Schedule(Window):
    """Another floor for the replicas, for a time."""

    min_replicas: Annotated[int, Field(ge=0, le=1000)]
    """Fewest replicas during that time, of the whole fleet."""


class CopySchedule(Window):
    """Another floor for an engine's copies, for a time."""

    min_copies: Annotated[int, Field(ge=1, le=64)]
    """Fewest copies in each replica during that time."""
