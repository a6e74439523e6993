"""Teams: one owner for each namespace, and deployments that ask for no more than their team may use."""

from __future__ import annotations

from collections.abc import Mapping

from .. import codes
from ..diagnostics import Report
from ..resolve.fleet import Fleet
from ..validate import Resource, Resources
from .reach import Reach


def owners(resources: Resources) -> dict[str, Resource]:
    """The team of each namespace; of several the first by name."""
    found: dict[str, Resource] = {}
    for resource in resources.of("Team").values():
        for namespace in resource.model.spec.namespaces:
            found.setdefault(namespace, resource)
    return found


def check_teams(resources: Resources, fleet: Fleet, reach: Reach, report: Report) -> None:
    """TwoOwners, NoTeam, and TeamRights as far as priority and clusters go; classes are looked at with the hardware."""
    owned = owners(resources)
    for resource in resources.of("Team").values():
        for index, namespace in enumerate(resource.model.spec.namespaces):
            owner = owned[namespace]
            if owner is not resource:
                message = f"namespace `{namespace}` belongs to team `{owner.model.metadata.name}` already"
                report.add(
                    codes.TWO_OWNERS, message, resource.at("spec", "namespaces", index), f"first at {owner.at('spec', 'namespaces')}"
                )
    # The hub is a cluster too.
    refuse_namespaces(resources, {fleet.settings.spec.argocd.namespace: "Argo CD's own"}, report)
    if fleet.settings.spec.tenancy == "Required":
        _check_owned(resources, owned, report)
    for resource in resources.of("ModelDeployment").values():
        if team := owned.get(resource.model.metadata.namespace):
            _check_rights(resource, team, reach, report)


def refuse_namespaces(resources: Resources, taken: Mapping[str, str], report: Report) -> None:
    """ReservedNamespace for each model in a namespace of `taken`, which says whose it is: `Argo CD's own`."""
    for resource in resources.of("ModelDeployment").values():
        namespace = resource.model.metadata.namespace
        if namespace in taken:
            message = f"namespace `{namespace}` is {taken[namespace]}"
            report.add(codes.RESERVED_NAMESPACE, message, resource.at("metadata", "namespace"), f"git mv models/{namespace} models/NAME")


def _check_owned(resources: Resources, owned: Mapping[str, Resource], report: Report) -> None:
    """One error for each namespace without a team, at the first document that declares it."""
    missing: dict[str, Resource] = {}
    for known in resources.kinds.values():
        for resource in known.values():
            namespace = getattr(resource.model.metadata, "namespace", None)
            if namespace and namespace not in owned and resource.document.path.startswith("models/"):
                first = missing.setdefault(namespace, resource)
                if resource.document.path < first.document.path:
                    missing[namespace] = resource
    for namespace, resource in missing.items():
        hint = f"add `{namespace}` to the namespaces of a Team"
        report.add(codes.NO_TEAM, f"namespace `{namespace}` belongs to no team", resource.at("metadata", "namespace"), hint)


def _check_rights(resource: Resource, team: Resource, reach: Reach, report: Report) -> None:
    spec, rights, name = resource.model.spec, team.model.spec, team.model.metadata.name
    if spec.priority > rights.max_priority:
        message = f"priority {spec.priority} is above the {rights.max_priority} that team `{name}` may ask for"
        report.add(codes.TEAM_RIGHTS, message, resource.at("spec", "priority"), f"priority: {rights.max_priority}")
    selected = reach.of(spec.template.spec.cluster_selector)
    allowed = rights.cluster_selector
    if selected and allowed and not {c.name for c in selected} & {c.name for c in reach.of(allowed)}:
        message = f"team `{name}` may use none of the clusters that clusterSelector matches"
        where = resource.at("spec", "template", "spec", "clusterSelector")
        report.add(codes.TEAM_RIGHTS, message, where, f"clusterSelector of the team: {team.at('spec', 'clusterSelector')}")
