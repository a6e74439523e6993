"""Rights and walls of a team, asked of a real API server: what RBAC allows its groups, and which pods its namespace admits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from modelfleet import emit, render
from modelfleet.render.unit import UnitId

from tests.e2e import cluster
from tests.e2e.client import Rejected
from tests.e2e.cluster import Cluster
from tests.e2e.judge import judge, parse
from tests.pod_security_cases import CASES, Part
from tests.render.builders import NAMESPACE, deployment, fleet, placement, plan, team

pytestmark = pytest.mark.e2e

GROUPS = ["CN=search,OU=ml", "acme:ml search"]


@pytest.fixture(scope="module")
def started(tools: Path) -> Iterator[Cluster]:
    """A cluster with the namespaces of two teams and one namespace for each level of Pod Security."""
    teams = {"ml": team(groups=GROUPS), "voice": team("voice", groups=["acme:voice"])}
    levels = {level: team(level.lower(), podSecurity=level) for level in ("Privileged", "Baseline", "Restricted")}
    namespaces = [NAMESPACE, "voice", *(level.lower() for level in levels)]
    declared = [deployment(namespace=namespace) for namespace in namespaces]
    given, record = fleet(*declared, teams=teams | levels), plan({one.key: placement() for one in declared})
    with cluster.start(tools) as found:
        for namespace in namespaces:
            unit = render.render_unit(given, record, UnitId("east", f"tenant/{namespace}"))
            assert judge(found, parse(emit.to_yaml(unit), namespace)) == []
            # No controller makes it here, and no pod is admitted without it.
            found.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": namespace}})
        yield found


def allowed(started: Cluster, group: str, namespace: str, verb: str, what: str) -> bool:
    """What a SubjectAccessReview says of somebody in a group. what: `resource[/sub].group`."""
    resource, _, api_group = what.partition(".")
    resource, _, sub = resource.partition("/")
    attributes = {"namespace": namespace, "verb": verb, "group": api_group, "resource": resource, "subresource": sub}
    spec = {"user": "someone", "groups": [group, "system:authenticated"], "resourceAttributes": attributes}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    answer = started.create("authorization.k8s.io/v1", "SubjectAccessReview", emit.document({**review, "metadata": {}}))
    return bool(answer["status"]["allowed"])


SEEN = ["pods", "pods/log", "events", "deployments.apps", "leaderworkersets.leaderworkerset.x-k8s.io", "scaledobjects.keda.sh"]
SEEN += ["resourceclaims.resource.k8s.io", "httproutes.gateway.networking.k8s.io", "externalsecrets.external-secrets.io"]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("what", SEEN)
def test_a_team_sees_what_runs_in_its_namespace_and_no_other_team_does(started: Cluster, group: str, what: str) -> None:
    places = [(NAMESPACE, "get"), (NAMESPACE, "list"), (NAMESPACE, "watch"), ("voice", "get"), ("default", "list"), ("", "list")]
    assert [allowed(started, group, place, verb, what) for place, verb in places] == [True, True, True, False, False, False]
    assert not allowed(started, "acme:voice", NAMESPACE, "get", what)


NEVER = [("get", "secrets"), ("list", "secrets"), ("create", "pods"), ("delete", "pods"), ("create", "pods/exec")]
NEVER += [("create", "pods/portforward"), ("create", "secrets")]
NEVER += [("patch", "deployments.apps"), ("update", "scaledobjects.keda.sh"), ("create", "rolebindings.rbac.authorization.k8s.io")]
NEVER += [("escalate", "roles.rbac.authorization.k8s.io"), ("impersonate", "serviceaccounts"), ("create", "serviceaccounts/token")]


@pytest.mark.parametrize(("verb", "what"), NEVER)
def test_a_team_changes_nothing_and_reads_no_secret(started: Cluster, verb: str, what: str) -> None:
    assert not allowed(started, GROUPS[0], NAMESPACE, verb, what)


def admitted(started: Cluster, pod: Part, level: str) -> bool:
    """Whether the namespace of a level takes the pod."""
    namespace = level.lower()
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tried", "namespace": namespace}, "spec": pod}
    try:
        started.apply(manifest, dry_run=True)
    except Rejected as rejected:
        assert "violates PodSecurity" in rejected.message, rejected
        return False
    return True


@pytest.mark.parametrize(("pod", "baseline", "more"), CASES.values(), ids=CASES)
def test_the_api_server_refuses_what_the_check_refuses(started: Cluster, pod: Part, baseline: list[str], more: list[str]) -> None:
    found = [admitted(started, pod, level) for level in ("Privileged", "Baseline", "Restricted")]
    assert found == [True, not baseline, not [*baseline, *more]]
