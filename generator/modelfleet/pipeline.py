"""The order of the stages: load, validate, resolve, place, render. The only module that knows it.

A run reads a *slice* of the repository. The plugin's units read their own folders and nothing else, so that a mistake
elsewhere cannot stop them; commands for people read everything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from . import __version__, codes, load, names
from .diagnostics import Location, Report
from .resolve.fleet import Fleet
from .resolve.resolver import resolve
from .validate import Resources, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api.placement import PlacementSpec
    from .place.plan import Plan
    from .render.unit import Unit, UnitId

Key = tuple[str, str]
Edit = Callable[[list[load.Document]], Iterable[load.Document]]


@dataclass(frozen=True, slots=True)
class Slice:
    """What a run reads besides fleet/: folders under models/ and placements/; None is all of them."""

    models: tuple[str, ...] | None = None
    placements: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """What was read of a fleet repository. unparsed: folders (`models/search`) with a file that is not YAML."""

    root: Path
    resources: Resources
    fleet: Fleet | None
    unparsed: frozenset[str]


def find_root(start: Path) -> Path | None:
    """The fleet repository that `start` lies in: the nearest folder, upward, with fleet/fleet.yaml."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / "fleet" / "fleet.yaml").exists()), None)


@load.uncollected()
def read(root: Path, part: Slice, report: Report, edit: Edit = list) -> Repository:
    """Loads, validates and resolves `part` of the repository at `root`. Every mistake found on the way is in `report`.

    edit: what a question changes of the documents before anything is made of them.
    """
    documents, unparsed = [], set()
    for relative, path in load.files(root, _folders(part), report):
        own = Report()
        documents += load.read(relative, path, own)
        if own.errors:
            unparsed.add("/".join(relative.split("/")[:2]))
        report.extend(own.found)
    return _repository(root, edit(documents), frozenset(unparsed), load.folders(root, "models"), report)


@load.uncollected()
def read_at(repository: Repository, ref: str, report: Report) -> Repository:
    """The whole repository where the work tree left `ref`; its mistakes are in `report`. Raises git.BaseError."""
    from .git import files_at

    documents, unparsed = [], set()
    files = files_at(repository.root, ref)
    for relative, content in files.items():
        own = Report()
        documents += load.decoded(relative, content, own)
        if own.errors:
            unparsed.add("/".join(relative.split("/")[:2]))
        report.extend(own.found)
    folders = frozenset(parts[1] for parts in (path.split("/") for path in files) if parts[0] == "models" and len(parts) > 2)
    return _repository(repository.root, documents, frozenset(unparsed), folders, report)


def _repository(
    root: Path, documents: Iterable[load.Document], unparsed: frozenset[str], folders: frozenset[str], report: Report
) -> Repository:
    """folders: names below models/, also of those that are not read: a namespace has its routes at every front door."""
    resources = validate(documents, report)
    broken = any(d.location.path.startswith("fleet/") for d in report.errors)
    # A broken file under fleet/ would make every reference to it look wrong as well.
    fleet = resolve(resources, __version__, Report() if broken else report)
    if fleet is None and not broken:
        report.add(codes.NO_FLEET, "no document of kind Fleet", Location("fleet/fleet.yaml"), "kind: Fleet")
    if fleet:
        fleet = replace(fleet, namespaces=frozenset(filter(names.may_be_namespace, folders)))
    return Repository(root, resources, fleet, unparsed)


def _folders(part: Slice) -> list[str]:
    folders = ["fleet"]
    for name, namespaces in (("models", part.models), ("placements", part.placements)):
        folders += [name] if namespaces is None else [f"{name}/{namespace}" for namespace in namespaces]
    return folders


def check_installed(repository: Repository, report: Report) -> None:
    """Whether what the clusters get besides models can be rendered; fleet/ is enough."""
    from .checks import stack

    fleet = repository.fleet
    assert fleet is not None
    if fleet.add_ons or fleet.settings.spec.components or any(cluster.spec.components for cluster in fleet.clusters.values()):
        stack.check_installed(repository.resources, fleet, report)


def check_selectors(repository: Repository, report: Report) -> None:
    """Whether every device selector compiles and reads what some class publishes."""
    from .checks import selectors

    assert repository.fleet is not None
    selectors.check_selectors(repository.resources, repository.fleet, report)


def check_secrets(repository: Repository, report: Report) -> None:
    """Whether a secret is written out anywhere. Not for the plugin: it is in Git by then, and what runs would not be kept."""
    from .checks import secrets

    secrets.check_secrets(repository.resources, report)


def check(repository: Repository, report: Report, devices: bool = True) -> None:
    """What only the whole repository shows. devices: as in `check_recorded`."""
    from .checks import across

    fleet = repository.fleet
    assert fleet is not None
    check_selectors(repository, report)
    across.check_across(repository.resources, fleet, report)
    check_secrets(repository, report)
    check_recorded(repository, report, devices)


def check_recorded(repository: Repository, report: Report, devices: bool = True) -> None:
    """Whether what is recorded can be rendered; compiles no selector.

    devices: also what placing again would mend: clusters that are gone, and device groups that the requests no longer name.
    """
    from .checks import records, references, services, shares

    fleet = repository.fleet
    assert fleet is not None
    check_installed(repository, report)
    records.check_records(repository.resources, fleet, report, clusters=devices)
    references.check_caches(repository.resources, report, {"/".join(key) for key in fleet.placements})
    services.check_targets(repository.resources, report)
    shares.check_count(repository.resources, fleet, report)
    for key, spec in fleet.placements.items():
        for cluster in sorted({entry.cluster for entry in spec.replicas} & set(fleet.clusters)):
            if key in fleet.deployments:
                records.check_entries(repository.resources, fleet, cluster, key, report, devices)


def check_base(repository: Repository, ref: str, report: Report) -> None:
    """What the work tree takes away or must not change, compared with where it left `ref`. Raises git.BaseError."""
    from .checks import base

    base.check_base(at(repository, ref), repository.resources, report)


@load.uncollected()
def plan(fleet: Fleet, targets: Collection[Key] | None = None, give_up: Collection[Key] = ()) -> Plan:
    """Places `targets`, or what is missing or stale; `give_up` leaves pools that hold too much."""
    from .place.place import place

    return place(fleet, fleet.placements, targets, give_up)


def records_at(repository: Repository, ref: str) -> dict[Key, PlacementSpec]:
    """The records where the work tree left `ref`. Raises git.BaseError."""
    return recorded_in(at(repository, ref))


def recorded_in(resources: Resources) -> dict[Key, PlacementSpec]:
    """The records among `resources`."""
    found = resources.of("Placement").values()
    return {(r.model.metadata.namespace, r.model.metadata.name): r.model.spec for r in found}


def at(repository: Repository, ref: str, published: bool = False) -> Resources:
    """The declarations where the work tree left `ref`; what was wrong there is left out. Raises git.BaseError.

    published: the branch as origin has it, where it has it.
    """
    from .git import files_at

    documents: list[load.Document] = []
    for relative, content in files_at(repository.root, ref, published).items():
        documents += load.parse(relative, content.decode("utf-8", "replace"), Report())
    return validate(documents, Report())


def parsed(relative: str, text: str) -> list[load.Document]:
    """The documents of a file's text."""
    return load.parse(relative, text, Report())


def recorded(fleet: Fleet) -> Plan:
    """What is recorded and nothing else; the placer is not even imported."""
    from .place.plan import Plan

    return Plan(fleet.placements, {})


def unrenderable(repository: Repository, planned: Plan, listed: Iterable[UnitId]) -> set[UnitId]:
    """The units of `listed` that the declarations do not hold enough for, where there are mistakes in them."""
    report = Report()
    assert repository.fleet is not None
    fleet = replace(repository.fleet, placements=planned.placements)
    check_recorded(replace(repository, fleet=fleet), report)
    found: set[UnitId] = set()
    for unit in listed if report.errors else ():
        try:
            units(fleet, planned, [unit])
        except KeyError:  # what rendering says of a record whose declaration is not there
            found.add(unit)
    return found


def without(fleet: Fleet, namespaces: Collection[str]) -> Fleet:
    """The fleet without the placements of `namespaces`, and without them at its front doors; their project stays."""
    placements = {key: spec for key, spec in fleet.placements.items() if key[0] not in namespaces}
    return replace(fleet, placements=placements, namespaces=fleet.namespaces - set(namespaces), left_out=frozenset(namespaces))


def say_plan(repository: Repository, planned: Plan, report: Report) -> None:
    """Shortfalls and over-committed pools as diagnostics."""
    fleet = repository.fleet
    assert fleet is not None
    for key, spec in planned.placements.items():
        deployment = fleet.deployments.get(key)
        if deployment is None or spec.shortfall is None:
            continue
        placed = spec.wanted - spec.shortfall.missing
        message = f"{placed} of {spec.wanted} replicas of `{deployment.ref}` have a place"
        report.add(codes.SHORTFALL, message, deployment.location, f"modelfleet explain {deployment.ref}", (spec.shortfall.summary,))
    for excess in planned.excesses:
        resource = repository.resources.of("InferenceCluster")[excess.cluster]
        message = f"pool `{excess.pool}` of cluster `{excess.cluster}`: {excess.text}"
        hint = f"modelfleet place --give-up {excess.last}" if excess.last else "modelfleet capacity"
        report.add(codes.ALL[excess.code], message, resource.at("spec", "nodePools"), hint)


@load.uncollected()
def units(fleet: Fleet, planned: Plan, wanted: Iterable[UnitId] | None = None) -> list[Unit]:
    """The units named by `wanted`, or the root and every listed unit."""
    from .render import render_root, render_unit, unit_ids

    if wanted is not None:
        return [render_unit(fleet, planned, unit) for unit in wanted]
    return [render_root(fleet, planned), *(render_unit(fleet, planned, unit) for unit in unit_ids(fleet, planned))]


def root(fleet: Fleet, planned: Plan) -> list[Unit]:
    """The root alone."""
    from .render import render_root

    return [render_root(fleet, planned)]
