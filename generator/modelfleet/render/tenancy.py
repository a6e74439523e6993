"""What a namespace is given besides models: the Namespace itself, its team's rights and quota, and who may reach its pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import names
from ..resolve.fleet import Cluster
from . import defaults, sync
from .metadata import metadata
from .unit import Manifest

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.team import TeamSpec

_RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]
# What a team may see in its namespaces: everything that is rendered there and what comes of it. No Secret, and no verb that changes
# anything: that is what Git is for.
_SEEN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("configmaps", "endpoints", "events", "persistentvolumeclaims", "pods", "pods/log")),
    ("", ("resourcequotas", "serviceaccounts", "services")),
    ("apps", ("deployments", "replicasets", "statefulsets")),
    ("autoscaling", ("horizontalpodautoscalers",)),
    ("batch", ("jobs",)),
    ("discovery.k8s.io", ("endpointslices",)),
    ("events.k8s.io", ("events",)),
    ("external-secrets.io", ("externalsecrets",)),
    ("gateway.envoyproxy.io", ("backends", "backendtrafficpolicies", "httproutefilters", "securitypolicies")),
    ("gateway.networking.k8s.io", ("httproutes",)),
    ("inference.networking.k8s.io", ("inferencepools",)),
    ("keda.sh", ("scaledobjects",)),
    ("leaderworkerset.x-k8s.io", ("leaderworkersets",)),
    ("monitoring.coreos.com", ("podmonitors", "prometheusrules")),
    ("networking.k8s.io", ("networkpolicies",)),
    ("policy", ("poddisruptionbudgets",)),
    (_RBAC, ("rolebindings", "roles")),
    ("resource.k8s.io", ("resourceclaims", "resourceclaimtemplates")),
)
_MONITORING = "monitoring"
_DNS = [{"port": 53, "protocol": protocol} for protocol in ("TCP", "UDP")]
_API_SERVER = [{"port": port, "protocol": "TCP"} for port in (443, 6443)]


def namespace(name: str, removal: sync.Removal, owner: tuple[str, TeamSpec] | None = None) -> Manifest:
    """A namespace. It is never pruned nor deleted with its unit: its deletion would take every pod along.

    owner: the team with its name; costs are attributed by that label, and the team's level of Pod Security holds.
    """
    labels = {names.LABEL_NAMESPACE_NAME: name, names.LABEL_NAMESPACE: name}
    if owner:
        labels |= {names.LABEL_TEAM: owner[0], names.LABEL_POD_SECURITY: owner[1].pod_security.lower()}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata(name, labels=labels, annotations=sync.annotations_of("Namespace", removal)),
    }


def rights(name: str, owner: tuple[str, TeamSpec], removal: sync.Removal) -> Iterator[Manifest]:
    """Role and RoleBinding of the team's groups in a namespace: they see what runs and its logs. Leaving them out takes them back."""
    team, spec = owner
    if not spec.groups:
        return
    labels = {names.LABEL_TEAM: team}
    subjects = [{"apiGroup": _RBAC, "kind": "Group", "name": group} for group in sorted(spec.groups)]
    rules = [{"apiGroups": [group], "resources": list(resources), "verbs": _READ} for group, resources in _SEEN]
    reference = {"apiGroup": _RBAC, "kind": "Role", "name": names.TEAM}
    for kind, rest in (("Role", {"rules": rules}), ("RoleBinding", {"roleRef": reference, "subjects": subjects})):
        notes = sync.annotations_of(kind, removal, retiring=True)  # a right that Git takes back is gone, whatever the policy
        yield {
            "apiVersion": f"{_RBAC}/v1",
            "kind": kind,
            "metadata": metadata(names.TEAM, name, labels=_labels(labels), annotations=notes),
            **rest,
        }


def resource_quota(name: str, owner: tuple[str, TeamSpec], removal: sync.Removal) -> Manifest | None:
    """The team's `kubernetesQuota` in a namespace."""
    team, spec = owner
    if not spec.kubernetes_quota:
        return None
    hard = {resource: defaults.quantity(str(amount)) for resource, amount in sorted(spec.kubernetes_quota.items())}
    notes = sync.annotations_of("ResourceQuota", removal)
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": metadata(names.TEAM, name, labels=_labels({names.LABEL_TEAM: team}), annotations=notes),
        "spec": {"hard": hard},
    }


def network_policies(
    name: str, cluster: Cluster, gateways: str, owner: tuple[str, TeamSpec] | None, removal: sync.Removal
) -> Iterator[Manifest]:
    """Who may reach the pods of a namespace: its own, the gateway's proxies and Prometheus; and, if the team says so, what they may reach.

    Gangs, caches moved between phases and pickers talk from pod to pod of one namespace on ports that engines choose, so no port is
    named; gateways: the namespace of the gateway's proxies. What comes from a pod's own node (probes) always passes.
    """
    others = sorted({gateways, monitoring_namespace(cluster)})
    namespaces = {"matchExpressions": [{"key": names.LABEL_NAMESPACE_NAME, "operator": "In", "values": others}]}
    sources: list[dict[str, Any]] = [{"podSelector": {}}, {"namespaceSelector": namespaces}]
    yield _policy(names.INGRESS_POLICY, name, removal, {"ingress": [{"from": sources}], "podSelector": {}, "policyTypes": ["Ingress"]})
    if owner is None or not owner[1].egress:
        return
    # The cluster's own pods, and names, which some clusters resolve on the node.
    networks: list[dict[str, Any]] = [{"namespaceSelector": {}}]
    networks += [{"ipBlock": {"cidr": cidr}} for cidr in sorted(owner[1].egress)]
    rules: list[dict[str, Any]] = [{"to": networks}, {"ports": _DNS}]
    yield _policy(names.EGRESS_POLICY, name, removal, {"egress": rules, "podSelector": {}, "policyTypes": ["Egress"]})
    # Pickers watch pods and pools at the API server, which is no pod.
    pickers = {"matchLabels": {names.LABEL_ROLE: names.PICKER}}
    only = {"egress": [{"ports": _API_SERVER}], "podSelector": pickers, "policyTypes": ["Egress"]}
    yield _policy(names.PICKER_EGRESS_POLICY, name, removal, only)


def monitoring_namespace(cluster: Cluster) -> str:
    """The namespace of the cluster's Prometheus: the second label of a Service's host name in `prometheusURL`."""
    host = cluster.spec.monitoring.prometheus_url.partition("://")[2].partition("/")[0].partition(":")[0]
    labels = host.split(".")
    in_cluster = len(labels) == 2 or (len(labels) > 2 and labels[2] == "svc")
    return labels[1] if in_cluster else _MONITORING


def _policy(name: str, namespace: str, removal: sync.Removal, spec: dict[str, Any]) -> Manifest:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(name, namespace, annotations=sync.annotations_of("NetworkPolicy", removal)),
        "spec": spec,
    }


def _labels(more: dict[str, str]) -> dict[str, str]:
    return {names.LABEL_MANAGED_BY: names.MANAGED_BY, **more}
