"""Random fleets, small enough to think about, with everything in them that placement looks at."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests import builders as b

Manifests = list[dict[str, Any]]

CLASSES = [
    b.hardware("h100", b.gpu(count=8), cost="80"),
    b.hardware("h100-4", b.gpu(count=4), cost="42"),
    b.hardware("l4", b.gpu(count=1, memory="23034Mi", product="NVIDIA L4"), cost="1"),
    b.hardware("mixed", b.gpu("big", 4, "143771Mi", "NVIDIA H200"), b.gpu("small", 2, "23034Mi", "NVIDIA L4")),
]
MEMORY = [{"atLeast": "1Gi"}, {"atLeast": "40Gi"}, {"below": "40Gi"}, {"atLeast": "100Gi"}]
TAINT = {"key": "team", "value": "ml", "effect": "NoSchedule"}


@st.composite
def clusters(draw: st.DrawFn, most: int = 4) -> Manifests:
    found = []
    for name in "abcdef"[: draw(st.integers(1, most))]:
        kinds = draw(st.lists(st.sampled_from(["h100", "h100-4", "l4", "mixed"]), min_size=1, max_size=2, unique=True))
        pools = [b.pool(kind, draw(st.integers(0, 3))) for kind in kinds]
        more: dict[str, Any] = {}
        if draw(st.integers(0, 4)) == 0:
            more["taints"] = [TAINT | {"effect": draw(st.sampled_from(["NoSchedule", "NoExecute"]))}]
        if draw(st.integers(0, 6)) == 0:
            more["state"] = draw(st.sampled_from(["Offline", "Lost"]))
        found.append(b.cluster(name, *pools, labels={"tier": draw(st.sampled_from(["prod", "test"]))}, **more))
    return found


@st.composite
def engines(draw: st.DrawFn) -> Manifests:
    found = []
    for name in draw(st.sampled_from([["main"], ["main"], ["main"], ["left", "right"]])):
        names = draw(st.sampled_from([["gpu"], ["gpu"], ["gpu", "aux"]]))
        requests = [b.request(n, draw(st.sampled_from([1, 1, 2, 4, 8])), memory=draw(st.sampled_from(MEMORY))) for n in names]
        found.append(b.engine(*requests, name=name, copies=draw(st.sampled_from([1, 1, 2]))))
    return found


@st.composite
def deployments(draw: st.DrawFn, most: int = 4, largest: int = 5) -> Manifests:
    found = []
    for name in ["chat", "code", "embed", "rank", "tts"][: draw(st.integers(1, most))]:
        made, more = draw(engines()), {}
        if draw(st.booleans()):
            more["tolerations"] = [{"key": "team", "operator": "Exists"}]
        if draw(st.integers(0, 3)) == 0:
            more["clusterSelector"] = {"matchLabels": {"tier": "prod"}}
        if draw(st.integers(0, 3)) == 0:
            more["placement"] = {"maxPerCluster": draw(st.integers(1, 2))}
        if draw(st.integers(0, 3)) == 0:
            more["priority"] = draw(st.integers(1, 3))
        if len(made) == 1 and draw(st.integers(0, 3)) == 0:
            low = draw(st.integers(1, 3))
            more["scaling"] = {
                "minReplicas": low,
                "maxReplicas": low + draw(st.integers(0, 3)),
                "triggers": [{"type": "RequestsWaiting", "target": "4"}],
            }
        found.append(b.deployment(name, *made, replicas=draw(st.integers(0, largest)), **more))
    return found


@st.composite
def fleets(draw: st.DrawFn, **limits: int) -> Manifests:
    """The manifests of a fleet without records."""
    options = {"accounting": draw(st.sampled_from(["Packed", "Node", "Guaranteed"]))}
    places = draw(clusters(limits.get("clusters", 4)))
    return [b.settings(**options), *CLASSES, *places, *draw(deployments(limits.get("deployments", 4), limits.get("replicas", 5)))]
