"""Every diagnostic code: its text is whole, and the smallest change to a good repository that yields it, at its line and column."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelfleet import codes
from modelfleet.cli import cli

API = "apiVersion: modelfleet.io/v1alpha1\n"
GOOD = {
    "fleet/fleet.yaml": API
    + """kind: Fleet
metadata: {name: acme}
spec:
  argocd: {repoURL: "https://git.example.com/fleet.git"}
  placement: {accounting: Packed}
""",
    "fleet/class.yaml": API
    + """kind: InferenceClass
metadata: {name: h100}
spec:
  devices:
  - name: gpu
    driver: gpu.nvidia.com
    deviceClassName: gpu.nvidia.com
    count: 8
    attributes: {productName: {string: NVIDIA H100}}
    capacity: {memory: {value: 81559Mi}}
""",
    "fleet/cluster.yaml": API
    + """kind: InferenceCluster
metadata: {name: east, labels: {tier: production}}
spec:
  gateway: {hostname: east.example.com, scheme: HTTP, insecure: true}
  nodePools:
  - {name: h100, className: h100, nodeCount: 2}
""",
    "models/ml/chat.yaml": API
    + """kind: ModelDeployment
metadata: {name: chat, namespace: ml}
spec:
  replicas: 1
  template:
    spec:
      engines:
      - name: main
        members:
        - nodeSelector:
            devices:
            - {name: gpu, products: [NVIDIA H100]}
          template:
            spec:
              containers:
              - {name: engine, image: x}
""",
    "placements/ml/chat.yaml": API
    + """kind: Placement
metadata: {name: chat, namespace: ml}
spec:
  wanted: 1
  replicas:
  - {cluster: east, engines: {main: {pool: h100, devices: {gpu: gpu}}}, count: 1, minimum: 1}
""",
}
FLEET, CLASS, CLUSTER, MODEL, RECORD = GOOD
TWO = "scaling: {maxReplicas: 2, triggers: [{type: RequestsWaiting, target: '4'}]}"
PRODUCTS = "products: [NVIDIA H100]"
NEW = "fleet/new.yaml"
SERVICE = API + "kind: ModelService\nmetadata: {name: s, namespace: ml}\nspec:\n  endpoints:\n  - "
TEAM = API + "kind: Team\nmetadata: {name: a}\nspec:\n  namespaces: [ml]\n"
ADD_ON = API + "kind: AddOn\nmetadata: {name: keda}\nspec: {catalog: keda}\n"
OTHER = "apiVersion: modelplane.ai/v1alpha1\nkind: InferenceClass\nmetadata: {name: old}\nspec:\n  devices: [{name: a, driver: a.b, claim: Synthetic}]\nstatus: {}\n"
LEADER = "- {role: Worker}\n        - role: Leader\n          nodeSelector:"
FRONT = API + "kind: InferenceGateway\nmetadata: {name: front}\nspec: {clusterName: east}\n"

Edit = str | bytes | None | tuple[str, str]
# (code, what changes, where it is said): a text replaces the file, a pair a part of it, None deletes it.
CASES: list[tuple[str, dict[str, Edit], str]] = [
    # load
    ("FileTooLarge", {NEW: "#" * 5_000_000}, "fleet/new.yaml"),
    ("NotUTF8", {NEW: b"a: 1\nb: \xff\n"}, "fleet/new.yaml:2:4"),
    ("UnprintableCharacter", {NEW: "a: x\x07\n"}, "fleet/new.yaml:1:5"),
    ("YamlSyntax", {NEW: "a: [1\n"}, "fleet/new.yaml:2:1"),
    ("TooDeep", {NEW: "a: " + "[" * 70 + "]" * 70}, "fleet/new.yaml:1:67"),
    ("Alias", {NEW: "a: &x 1\n"}, "fleet/new.yaml:1:4"),
    ("Tag", {NEW: "a: !!int '1'\n"}, "fleet/new.yaml:1:4"),
    ("MergeKey", {NEW: "<<: {a: 1}\n"}, "fleet/new.yaml:1:1"),
    ("DuplicateKey", {NEW: "a: 1\na: 2\n"}, "fleet/new.yaml:2:1"),
    ("QuoteString", {NEW: "a: no\n"}, "fleet/new.yaml:1:4"),
    # validate
    ("NotAMapping", {NEW: "- a\n"}, "fleet/new.yaml:1:1"),
    ("UnknownKind", {NEW: API + "kind: Fleett\n"}, "fleet/new.yaml:2:7"),
    ("WrongVersion", {NEW: "kind: Fleet\n"}, "fleet/new.yaml:1:1"),
    ("ForeignDocument", {NEW: "apiVersion: apps/v1\nkind: Deployment\n"}, "fleet/new.yaml:1:13"),
    ("WrongFolder", {"models/ml/class.yaml": GOOD[CLASS]}, "models/ml/class.yaml:2:7"),
    ("WrongNamespace", {MODEL: ("namespace: ml", "namespace: web")}, "models/ml/chat.yaml:3:35"),
    ("DuplicateObject", {NEW: GOOD[CLASS]}, "fleet/new.yaml:3:18"),
    ("SameButForCase", {"fleet/Class.yaml": "", "fleet/Cluster.yaml": ""}, "fleet/class.yaml"),
    ("NoFleet", {FLEET: "# nothing\n"}, "fleet/fleet.yaml"),
    ("UnknownField", {MODEL: ("replicas: 1", "replica: 1")}, "models/ml/chat.yaml:5:3"),
    ("MissingField", {CLASS: ("    driver: gpu.nvidia.com\n", "")}, "fleet/class.yaml:6:5"),
    ("WrongType", {MODEL: ("replicas: 1", 'replicas: "1"')}, "models/ml/chat.yaml:5:13"),
    ("UnknownValue", {FLEET: ("Packed", "packed")}, "fleet/fleet.yaml:6:28"),
    ("BadName", {CLASS: ("{name: h100}", "{name: H_100}")}, "fleet/class.yaml:3:18"),
    ("BadValue", {MODEL: ("engines:", "serving: {startupTimeout: soon}\n      engines:")}, "models/ml/chat.yaml:8:33"),
    ("OutOfRange", {MODEL: ("replicas: 1", "replicas: 1001")}, "models/ml/chat.yaml:5:13"),
    ("TooMany", {CLUSTER: ("\n  - {name: h100, className: h100, nodeCount: 2}", " []")}, "fleet/cluster.yaml:6:14"),
    ("DuplicateItem", {CLUSTER: ("nodeCount: 2}", "nodeCount: 2}\n  - {name: h100, className: h100}")}, "fleet/cluster.yaml:8:12"),
    ("OneOf", {CLUSTER: ("gateway:", "destination: {}\n  gateway:")}, "fleet/cluster.yaml:5:16"),
    ("BadQuantity", {CLASS: ("81559Mi", "80 Gigs")}, "fleet/class.yaml:11:33"),
    ("BadVersion", {CLASS: ("{string: NVIDIA H100}", '{version: "9.0"}')}, "fleet/class.yaml:10:42"),
    ("EmptyRange", {MODEL: (PRODUCTS, "memory: {atLeast: 2Gi, below: 1Gi}")}, "models/ml/chat.yaml:13:56"),
    ("AttributeType", {CLASS: ("{string: NVIDIA H100}", "{string: a, int: 1}")}, "fleet/class.yaml:10:31"),
    ("BadToleration", {MODEL: ("engines:", "tolerations: [{operator: Equal}]\n      engines:")}, "models/ml/chat.yaml:8:21"),
    ("ReservedLabel", {MODEL: ("spec:\n              c", "metadata: {labels: {modelfleet.io/x: a}}\n            spec:\n              c")}, "?"),
    ("NoEngineContainer", {MODEL: ("name: engine", "name: motor")}, "models/ml/chat.yaml:17:15"),
    ("Contradiction", {MODEL: ("- nodeSelector:", "- worker: {nodes: 2}\n          nodeSelector:")}, "models/ml/chat.yaml:11:19"),
    ("ReplicasBesideScaling", {MODEL: ("replicas: 1", f"replicas: 1\n  {TWO}")}, "?"),
    ("ScalingManyEngines", {MODEL: GOOD[MODEL].replace("replicas: 1", TWO) + GOOD[MODEL][GOOD[MODEL].index("      - name: main") :].replace("main", "b")}, "?"),
    ("ScalingOneEngine", {MODEL: ("- name: main", "- name: main\n        scaling: {maxCopies: 4, triggers: [{type: RequestsWaiting, target: '4'}]}")}, "?"),
    ("TriggerQuery", {MODEL: ("replicas: 1", "scaling: {maxReplicas: 2, triggers: [{type: Prometheus, target: '4'}]}")}, "?"),
    ("EngineShape", {MODEL: ("- nodeSelector:", "- role: Leader\n          nodeSelector:")}, "?"),
    ("RecordedOptionalRetires", {FLEET: ("{accounting: Packed}", "{accounting: Packed, recorded: Optional}")}, "fleet/fleet.yaml:6:44"),
    ("UnknownReference", {MODEL: (f"{PRODUCTS}}}", f"{PRODUCTS}}}\n            constraints: [{{requests: [gpus], matchAttribute: a.b/c}}]")}, "?"),
    ("BadTemplate", {FLEET: ("placement:", "secrets: {storeRef: {name: v}, keyTemplate: '{team}'}\n  placement:")}, "?"),
    ("Insecure", {CLUSTER: (", insecure: true", "")}, "?"),
    ("BadURL", {"models/ml/e.yaml": API + "kind: ModelEndpoint\nmetadata: {name: e, namespace: ml}\nspec: {origin: 'https://10.0.0.1'}\n"}, "?"),
    ("Tiers", {"models/ml/s.yaml": SERVICE + "{deployment: chat, priority: 0}\n  - {deployment: chat, name: b, priority: 1}\n  - {deployment: chat, name: c, priority: 2}\n"}, "?"),
    # resolve
    ("TwoFleets", {NEW: GOOD[FLEET].replace("acme", "other")}, "?"),
    ("GeneratorVersion", {FLEET: ("argocd:", 'generatorVersion: ">=9"\n  argocd:')}, "?"),
    ("NotAvailable", {MODEL: ("- nodeSelector:", LEADER)}, "?"),
    ("UnknownClass", {CLUSTER: ("className: h100", "className: h200")}, "?"),
    ("MixedClaims", {CLASS: ("  - name: gpu", "  - {name: x, driver: a.b, claim: ExtendedResource, resourceName: a.b/c}\n  - name: gpu")}, "?"),
    ("DRATooOld", {CLUSTER: ("gateway:", 'kubernetesVersion: "1.33"\n  gateway:')}, "?"),
    ("SameDestination", {NEW: GOOD[CLUSTER].replace("name: east", "name: west").replace("spec:", "spec:\n  destination: {name: east}")}, "?"),
    ("AddOnCollides", {NEW: ADD_ON, FLEET: ("placement:", "components: [{name: keda}]\n  placement:")}, "?"),
    # across files
    ("SelectorSyntax", {MODEL: (PRODUCTS, "selectors: [{cel: 'device.'}]")}, "?"),
    ("SelectorType", {MODEL: (PRODUCTS, "selectors: [{cel: 'device.driver >= 1'}]")}, "?"),
    ("SelectorNotSupported", {MODEL: (PRODUCTS, "selectors: [{cel: 'duration(device.driver) == duration(device.driver)'}]")}, "?"),
    ("SelectorTooLarge", {MODEL: (PRODUCTS, f"selectors: [{{cel: '{'(' * 110}true{')' * 110}'}}]")}, "?"),
    ("UnknownAttribute", {MODEL: (PRODUCTS, """selectors: [{cel: 'device.attributes["gpu.nvidia.com"].productNam == "x"'}]""")}, "?"),
    ("NominalMemory", {MODEL: (PRODUCTS, "memory: {atLeast: 80Gi}")}, "?"),
    ("NoMatchingClass", {MODEL: ("NVIDIA H100]", "NVIDIA H900]")}, "?"),
    ("SelectsNothing", {MODEL: ("engines:", "clusterSelector: {matchLabels: {tier: producton}}\n      engines:")}, "?"),
    ("UnknownCache", {MODEL: ("engines:", "modelCacheRef: {name: qwen}\n      engines:")}, "?"),
    ("UnknownTarget", {"models/ml/s.yaml": SERVICE + "{deployment: chta}\n"}, "?"),
    ("ServedNameMismatch", {"models/ml/s.yaml": SERVICE + "{deployment: chat}\n  - {deployment: talk}\n", "models/ml/talk.yaml": GOOD[MODEL].replace("chat", "talk")}, "?"),
    ("UnknownCluster", {NEW: FRONT.replace("east", "eats")}, "?"),
    ("NoGateway", {CLUSTER: ("{hostname: east.example.com, scheme: HTTP, insecure: true}", "{}"), NEW: FRONT}, "?"),
    ("NoTrust", {CLUSTER: (", scheme: HTTP, insecure: true", ""), NEW: FRONT}, "?"),
    ("NoHub", {NEW: FRONT.replace("{clusterName: east}", "{}")}, "?"),
    ("GatewayPlace", {NEW: FRONT, "fleet/other.yaml": FRONT.replace("front", "other")}, "?"),
    ("TwoOwners", {NEW: TEAM, "fleet/b.yaml": TEAM.replace("name: a", "name: b")}, "?"),
    ("NoTeam", {FLEET: ("placement:", "tenancy: Required\n  placement:")}, "?"),
    ("TeamRights", {NEW: TEAM + "  maxPriority: 100\n", MODEL: ("replicas: 1", "replicas: 1\n  priority: 900")}, "?"),
    ("NotYetRendered", {CLUSTER: ("scheme: HTTP, insecure: true", "tls: {wellKnown: System}")}, "?"),
    ("NoMeaning", {NEW: OTHER}, "?"),
    ("DeclarationMissing", {MODEL: None}, "?"),
    ("ClusterGone", {RECORD: ("cluster: east", "cluster: west")}, "?"),
    ("StillRecorded", {RECORD: ("pool: h100", "pool: h200")}, "?"),
    ("PlacementMissing", {RECORD: None}, "?"),
    ("PlacementUnrecorded", {RECORD: None, FLEET: GOOD[FLEET].replace("Packed", "Packed, recorded: Optional").replace("argocd: {", "argocd: {removal: Prune, ")}, "?"),
    ("PlacementOutdated", {MODEL: ("replicas: 1", "replicas: 2")}, "?"),
    ("Shortfall", {MODEL: ("replicas: 1", "replicas: 17"), RECORD: None}, "?"),
    ("Overcommitted", {CLUSTER: ("nodeCount: 2", "nodeCount: 0")}, "?"),
    (
        "GuaranteeLost",
        {
            FLEET: ("Packed", "Guaranteed"),
            MODEL: ("replicas: 1", "replicas: 8"),
            RECORD: GOOD[RECORD].replace("wanted: 1", "wanted: 8").replace("count: 1, minimum: 1", "count: 8, minimum: 8"),
            "models/ml/big.yaml": GOOD[MODEL].replace("chat", "big").replace("{name: gpu,", "{name: gpu, count: 8,"),
            "placements/ml/big.yaml": GOOD[RECORD].replace("chat", "big"),
        },
        "?",
    ),
    # pod templates
    ("PodConflict", {MODEL: ("{name: engine, image: x}", "{name: engine, image: x, resources: {limits: {nvidia.com/gpu: 1}}}")}, "?"),
    ("UnknownVolume", {MODEL: ("{name: engine, image: x}", "{name: engine, image: x, volumeMounts: [{name: w, mountPath: /w}]}")}, "?"),
]


def write(root: Path, changes: Mapping[str, Edit] = {}) -> None:
    """The good repository with `changes`."""
    for path in {**GOOD, **changes}:
        edit = changes.get(path, GOOD.get(path))
        content: Any = edit
        if isinstance(edit, tuple):
            old, new = edit
            assert GOOD[path].count(old) == 1, f"{path}: {old!r} does not stand there once"
            content = GOOD[path].replace(old, new)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        elif content is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(content, encoding="utf-8")


def check(root: Path, *flags: str) -> dict[str, list[str]]:
    """Places by code of all that `check` says."""
    done = CliRunner().invoke(cli, ["--repo", str(root), "check", "--format", "json", *flags], standalone_mode=False)
    found: dict[str, list[str]] = {}
    for d in json.loads(done.stdout)["diagnostics"]:
        found.setdefault(d["code"], []).append(f"{d['path']}:{d['line']}:{d['column']}" if d["line"] else d["path"])
    return found
