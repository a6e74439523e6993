"""What a unit of the plugin reads, and what stops it: a mistake elsewhere does not."""

from __future__ import annotations

from . import codes
from .diagnostics import Diagnostic, Location, Report
from .pipeline import Repository, Slice
from .resolve.fleet import Fleet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .render.unit import UnitId


def unit_slice(unit: UnitId) -> Slice:
    """What a unit reads: its own namespace, and nothing besides fleet/ for the base."""
    folders = (unit.namespace,) if unit.namespace else ()
    return Slice(folders, folders)


def unit_errors(repository: Repository, unit: UnitId, report: Report) -> list[Diagnostic]:
    """The errors that stop `unit`.

    Everything under fleet/; a file of its namespace that is not YAML; and of what is YAML but wrong only what the unit
    needs: a model its own declaration and record and what that names; routes, caches and the tenant (it brings Secrets) all of the
    namespace.
    """
    own = tuple(f"{folder}/{unit.namespace}" for folder in ("models", "placements") if unit.namespace)
    needs_all = bool(repository.unparsed & set(own)) or unit.kind in ("tenant", "caches", "routes")
    if unit.kind == "model":
        ref = f"{unit.namespace}/{unit.deployment}"
        needs_all |= any(ref not in repository.resources.of(kind) for kind in ("ModelDeployment", "Placement"))
        needs_all = needs_all or _names_what_is_not_there(repository, unit)
    prefixes = ("fleet/", *(f"{folder}/" for folder in own)) if needs_all else ("fleet/",)
    return [d for d in report.errors if d.location.path.startswith(prefixes)]


def _names_what_is_not_there(repository: Repository, unit: UnitId) -> bool:
    """Whether a model's pods name a ModelCache or a ConfigMap that is not declared: perhaps because its document is wrong."""
    from .render.configs import references

    resource = repository.resources.of("ModelDeployment")[f"{unit.namespace}/{unit.deployment}"]
    spec = resource.model.spec.template.spec
    named = {("ConfigMap", name) for engine in spec.engines for member in engine.members for name in references(member.template.spec)}
    if spec.model_cache_ref:
        named.add(("ModelCache", spec.model_cache_ref.name))
    return any(f"{unit.namespace}/{name}" not in repository.resources.of(kind) for kind, name in named)


def check_unit(repository: Repository, unit: UnitId, report: Report) -> None:
    """Whether a unit's cluster, placements and declaration are there. A unit that is merely not listed is fine."""
    from .checks import records, references

    fleet = repository.fleet
    assert fleet is not None
    if unit.kind in ("tenant", "caches", "model"):
        here = {"/".join(key) for key, spec in fleet.placements.items() if any(e.cluster == unit.cluster for e in spec.replicas)}
        only = {f"{unit.namespace}/{unit.deployment}"} if unit.deployment else here
        references.check_caches(repository.resources, report, only & here)
    if unit.cluster not in fleet.clusters:
        message, where = f"cluster `{unit.cluster}` is not declared", Location("fleet/clusters")
        report.add(codes.CLUSTER_GONE, message, where, "put it back, or delete the Application without cascade")
    elif unit.kind == "model":
        records.check_entries(repository.resources, fleet, unit.cluster, (unit.namespace, unit.deployment), report)
        _check_fields(repository, fleet, unit, report)
    elif unit.namespace:
        at_front = unit.kind == "routes" and unit.cluster in fleet.fronts
        records.check_declared(repository.resources, fleet, None if at_front else unit.cluster, unit.namespace, report)
        if at_front:
            _check_routes(repository, fleet, unit.cluster, report)
    placed = any(namespace == unit.namespace for namespace, _ in fleet.placements)
    declared = unit.kind in ("tenant", "routes") and unit.cluster in fleet.fronts and unit.namespace in fleet.namespaces
    if unit.namespace and not (placed or declared or report.errors):
        message, where = f"namespace `{unit.namespace}` has no placements", Location(f"placements/{unit.namespace}")
        report.add(codes.DECLARATION_MISSING, message, where, "put them back, or delete the Application without cascade")


def _check_fields(repository: Repository, fleet: Fleet, unit: UnitId, report: Report) -> None:
    """What the unit's pods hold that its cluster would drop silently, or refuse."""
    from .newer import too_new
    from .pipeline import recorded
    from .render.members import pods
    from .render.workload import workloads

    resource = repository.resources.of("ModelDeployment").get(f"{unit.namespace}/{unit.deployment}")
    key = (unit.namespace, unit.deployment)
    if report.errors or resource is None or key not in fleet.placements or key not in fleet.deployments:
        return
    for workload in workloads(fleet, recorded(fleet), fleet.clusters[unit.cluster], key):
        report.extend(too_new(resource, workload, pods(workload)))


def _check_routes(repository: Repository, fleet: Fleet, cluster: str, report: Report) -> None:
    """What would move requests if it were rendered as it is: a target that is not there, more shares than a route holds."""
    from .checks import services, shares

    services.check_targets(repository.resources, report)
    shares.check_count(repository.resources, fleet, report, (cluster,))
