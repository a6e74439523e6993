"""Assigning the requests of one pod to the device groups of its node, exactly: if an assignment exists, it is found.

Assignments that take the same devices differ in nothing that is charged, so one of them stands for all. They are found best
first: least memory, then the published order. Past BEST_FIRST states the deepest goes first, which ends soon whatever the
number of assignments. A state is left when the rest of the requests, their devices thought divisible, no longer fit into
what is free: for requests of one device each that is exact, so that no state is ever looked at in vain.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

MAX_DEVICES = 32  # Kubernetes: devices that one claim may be allocated
KEPT = 32  # assignments of one pod
BEST_FIRST = 500  # states in order of memory
MAX_STATES = 20_000  # states at all; a search this long has not been seen, and ends as if nothing more were there

Recorded = tuple[tuple[str, str], ...]  # request -> device group


@dataclass(frozen=True, slots=True)
class Grant:
    """One way to serve one request: names recorded, devices taken of each group, their memory, and the value that they have
    of each constraint's attribute (None: the constraint is not about the request)."""

    devices: Recorded
    taken: tuple[tuple[str, int], ...]
    memory: int = 0
    values: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Assigned:
    """One grant for each request."""

    devices: Recorded
    taken: Mapping[str, int]


@dataclass(frozen=True, slots=True, order=True)
class _State:
    """Requests served so far, in their order. Sorts as they are looked at; picks: positions of the grants."""

    estimate: int
    waiting: int
    picks: tuple[int, ...]
    taken: tuple[tuple[str, int], ...]
    values: tuple[str, ...]


def assignments(grants: Sequence[Sequence[Grant]], free: Mapping[str, int]) -> list[Assigned]:
    """Up to KEPT assignments of a grant to each request, best first, that a node with `free` devices can hold and a claim carry."""
    if len(grants) == 1:
        return _alone(grants[0], free)
    least = [min(grant.memory for grant in each) for each in grants]
    heap = [_State(sum(least), len(grants), (), (), ("",) * max((len(g.values) for each in grants for g in each), default=0))]
    seen: set[object] = set()
    found: list[_State] = []
    for states in range(MAX_STATES):
        if states == BEST_FIRST:
            heap = [_State(0, s.waiting, s.picks, s.taken, s.values) for s in heap]
            heapq.heapify(heap)
        if not heap or len(found) == KEPT:
            break
        state = heapq.heappop(heap)
        key = (state.waiting, state.taken, state.values if state.waiting else ())
        if key in seen:
            continue
        seen.add(key)
        if not state.waiting:
            found.append(state)
        elif _possible(grants[len(state.picks) :], free, dict(state.taken)):
            for following in _following(state, grants[len(state.picks)], free, least[len(state.picks)]):
                heapq.heappush(heap, following if states < BEST_FIRST else _State(0, *_rest(following)))
    return [_assigned(grants, state) for state in sorted(found, key=lambda s: (_memory(grants, s), s.picks))]


def _alone(grants: Sequence[Grant], free: Mapping[str, int]) -> list[Assigned]:
    """The same of one request."""
    found: dict[tuple[tuple[str, int], ...], Assigned] = {}
    for grant in sorted(grants, key=lambda grant: grant.memory):
        taken = dict(grant.taken)
        if sum(taken.values()) <= MAX_DEVICES and all(count <= free.get(group, 0) for group, count in taken.items()):
            found.setdefault(grant.taken, Assigned(tuple(sorted(grant.devices)), taken))
    return list(found.values())[:KEPT]


def _rest(state: _State) -> tuple[int, tuple[int, ...], tuple[tuple[str, int], ...], tuple[str, ...]]:
    return state.waiting, state.picks, state.taken, state.values


def _following(state: _State, grants: Sequence[Grant], free: Mapping[str, int], least: int) -> Iterator[_State]:
    """The states in which the next request is served too."""
    for position, grant in enumerate(grants):
        values = _agreed(state.values, grant.values)
        taken = dict(state.taken)
        for group, count in grant.taken:
            taken[group] = taken.get(group, 0) + count
        if values is None or sum(taken.values()) > MAX_DEVICES or any(taken[group] > free.get(group, 0) for group, _ in grant.taken):
            continue
        estimate = state.estimate + grant.memory - least
        yield _State(estimate, state.waiting - 1, (*state.picks, position), tuple(sorted(taken.items())), values)


def _agreed(so_far: tuple[str, ...], values: tuple[str | None, ...]) -> tuple[str, ...] | None:
    """The values that all grants share, empty where none was asked yet; None if they differ."""
    if any(one and other is not None and one != other for one, other in zip(so_far, values, strict=False)):
        return None
    return tuple(one or other or "" for one, other in zip(so_far, values, strict=False)) if values else so_far


def _possible(grants: Sequence[Sequence[Grant]], free: Mapping[str, int], taken: Mapping[str, int]) -> bool:
    """Whether the requests fit into what is left if a request's devices could come from several of its groups."""
    simple = [{g.taken[0][0]: g.taken[0][1] for g in each} for each in grants if all(len(g.taken) == 1 for g in each)]
    room: dict[str, int] = {}
    for group, there in free.items():
        counts = [each[group] for each in simple if group in each]
        if counts:
            room[group] = _filled(counts, there - taken.get(group, 0))
    holds: dict[str, list[int]] = {group: [] for group in room}
    return all(_placed(simple, index, room, holds, set()) for index, each in enumerate(simple) for _ in range(max(each.values())))


def _filled(counts: Sequence[int], room: int) -> int:
    """The most that whole counts can fill of `room`."""
    sums = 1
    for count in counts:
        sums |= sums << count
    return (sums & ((1 << (room + 1)) - 1)).bit_length() - 1


def _placed(asking: Sequence[Mapping[str, int]], index: int, room: Mapping[str, int], holds: dict[str, list[int]], tried: set[str]) -> bool:
    """Whether one device more of a request finds room, others giving way where they have another group."""
    groups = [group for group in asking[index] if group not in tried]
    for group in groups:
        if len(holds[group]) < room[group]:
            holds[group].append(index)
            return True
    for group in groups:
        tried.add(group)
        for nth, other in enumerate(holds[group]):
            if _placed(asking, other, room, holds, tried):
                holds[group][nth] = index
                return True
    return False


def _memory(grants: Sequence[Sequence[Grant]], state: _State) -> int:
    return sum(each[pick].memory for each, pick in zip(grants, state.picks, strict=True))


def _assigned(grants: Sequence[Sequence[Grant]], state: _State) -> Assigned:
    devices = [named for each, pick in zip(grants, state.picks, strict=True) for named in each[pick].devices]
    return Assigned(tuple(sorted(devices)), dict(state.taken))
