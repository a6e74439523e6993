"""A good repository, and for every code the smallest change to it that yields the code."""

from __future__ import annotations

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
              - {name: engine, image: 'x:1'}
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
OTHER = """apiVersion: modelplane.ai/v1alpha1
kind: InferenceClass
metadata: {name: old}
spec:
  devices: [{name: a, driver: a.b, claim: Synthetic}]
status: {}
"""
PROVIDER = API + "kind: ModelEndpoint\nmetadata: {name: e, namespace: ml}\nspec: {origin: 'https://a.example.com'}\n"
FRONT = API + "kind: InferenceGateway\nmetadata: {name: front}\nspec: {clusterName: east}\n"

Edit = str | bytes | None | tuple[str, str]


def _crowd(staying: int, leaving: int = 0) -> dict[str, Edit]:
    """A service of a model on as many clusters, some of which it is leaving."""
    names = [f"c{number:02}" for number in range(staying + leaving)]
    clusters = [GOOD[CLUSTER].replace("east", name) for name in names]
    entry = "  - {cluster: east, engines: {main: {pool: h100, devices: {gpu: gpu}}}, count: 1, minimum: 1}\n"
    entries = [entry.replace("east", name) for name in names]
    entries[:leaving] = [one.replace("minimum: 1", "minimum: 1, retiring: true, replaced: 1") for one in entries[:leaving]]
    return {
        NEW: FRONT,
        "models/ml/s.yaml": SERVICE + "{deployment: chat}\n",
        MODEL: ("replicas: 1", f"replicas: {staying}"),
        RECORD: GOOD[RECORD].replace("wanted: 1", f"wanted: {staying}").replace(entry, "".join(entries)),
        **{f"fleet/{name}.yaml": text for name, text in zip(names, clusters, strict=True)},
    }


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
    (
        "ReservedNamespace",
        {"models/kube-system/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: kube-system}\n"},
        "models/kube-system/x.yaml:3:32",
    ),
    ("DuplicateObject", {NEW: GOOD[CLASS]}, "fleet/new.yaml:3:18"),
    ("SameButForCase", {"fleet/Class.yaml": "", "fleet/Cluster.yaml": ""}, "fleet/class.yaml"),
    ("NoFleet", {FLEET: "# nothing\n"}, "fleet/fleet.yaml"),
    ("UnknownField", {MODEL: ("replicas: 1", "replica: 1")}, "models/ml/chat.yaml:5:3"),
    ("MissingField", {CLASS: ("    driver: gpu.nvidia.com\n", "")}, "fleet/class.yaml:6:5"),
    ("WrongType", {MODEL: ("replicas: 1", 'replicas: "1"')}, "models/ml/chat.yaml:5:13"),
    ("UnknownValue", {FLEET: ("Packed", "packed")}, "fleet/fleet.yaml:6:27"),
    ("BadName", {CLASS: ("{name: h100}", "{name: H_100}")}, "fleet/class.yaml:3:18"),
    ("BadValue", {MODEL: ("engines:", "serving: {startupTimeout: soon}\n      engines:")}, "models/ml/chat.yaml:8:33"),
    ("OutOfRange", {MODEL: ("replicas: 1", "replicas: 1001")}, "models/ml/chat.yaml:5:13"),
    ("TooMany", {NEW: TEAM.replace("[ml]", "[]")}, "fleet/new.yaml:5:15"),
    ("DuplicateItem", {CLUSTER: ("nodeCount: 2}", "nodeCount: 2}\n  - {name: h100, className: h100}")}, "fleet/cluster.yaml:8:12"),
    ("OneOf", {CLUSTER: ("gateway:", "destination: {}\n  gateway:")}, "fleet/cluster.yaml:5:16"),
    ("BadQuantity", {CLASS: ("81559Mi", "80 Gigs")}, "fleet/class.yaml:11:32"),
    ("BadVersion", {CLASS: ("{string: NVIDIA H100}", '{version: "9.0"}')}, "fleet/class.yaml:10:41"),
    ("EmptyRange", {MODEL: (PRODUCTS, "memory: {atLeast: 2Gi, below: 1Gi}")}, "models/ml/chat.yaml:13:57"),
    ("AttributeType", {CLASS: ("{string: NVIDIA H100}", "{string: a, int: 1}")}, "fleet/class.yaml:10:31"),
    ("BadToleration", {MODEL: ("engines:", "tolerations: [{operator: Equal}]\n      engines:")}, "models/ml/chat.yaml:8:21"),
    (
        "ReservedLabel",
        {MODEL: ("spec:\n              c", "metadata: {labels: {modelfleet.io/x: a}}\n            spec:\n              c")},
        "models/ml/chat.yaml:15:50",
    ),
    ("NoEngineContainer", {MODEL: ("name: engine", "name: motor")}, "models/ml/chat.yaml:17:15"),
    ("Contradiction", {MODEL: ("- nodeSelector:", "- worker: {nodes: 2}\n          nodeSelector:")}, "models/ml/chat.yaml:11:19"),
    ("ReplicasBesideScaling", {MODEL: ("replicas: 1", f"replicas: 1\n  {TWO}")}, "models/ml/chat.yaml:5:13"),
    (
        "ScalingManyEngines",
        {MODEL: GOOD[MODEL].replace("replicas: 1", TWO) + GOOD[MODEL][GOOD[MODEL].index("      - name: main") :].replace("main", "b")},
        "models/ml/chat.yaml:5:12",
    ),
    (
        "ScalingOneEngine",
        {MODEL: ("- name: main", "- name: main\n        scaling: {maxCopies: 4, triggers: [{type: RequestsWaiting, target: '4'}]}")},
        "models/ml/chat.yaml:10:18",
    ),
    (
        "TriggerQuery",
        {MODEL: ("replicas: 1", "scaling: {maxReplicas: 2, triggers: [{type: Prometheus, target: '4'}]}")},
        "models/ml/chat.yaml:5:40",
    ),
    ("EngineShape", {MODEL: ("- nodeSelector:", "- role: Leader\n          nodeSelector:")}, "models/ml/chat.yaml:11:9"),
    ("RecordedOptionalRetires", {FLEET: ("{accounting: Packed}", "{accounting: Packed, recorded: Optional}")}, "fleet/fleet.yaml:6:45"),
    (
        "UnknownReference",
        {MODEL: (f"{PRODUCTS}}}", f"{PRODUCTS}}}\n            constraints: [{{requests: [gpus], matchAttribute: a.b/c}}]")},
        "models/ml/chat.yaml:14:39",
    ),
    (
        "BadTemplate",
        {FLEET: ("placement:", "secrets: {storeRef: {name: v}, keyTemplate: '{team}'}\n  placement:")},
        "fleet/fleet.yaml:6:47",
    ),
    ("Insecure", {CLUSTER: (", insecure: true", "")}, "fleet/cluster.yaml:5:49"),
    (
        "BadURL",
        {"models/ml/e.yaml": API + "kind: ModelEndpoint\nmetadata: {name: e, namespace: ml}\nspec: {origin: 'https://10.0.0.1'}\n"},
        "models/ml/e.yaml:4:16",
    ),
    (
        "Tiers",
        {
            "models/ml/s.yaml": SERVICE
            + "{deployment: chat}\n  - {deployment: chat, name: b, priority: 1}\n  - {deployment: chat, name: c, priority: 2}\n"
        },
        "models/ml/s.yaml:8:43",
    ),
    # resolve
    ("TwoFleets", {NEW: GOOD[FLEET].replace("acme", "other")}, "fleet/new.yaml:3:18"),
    ("GeneratorVersion", {FLEET: ("argocd:", 'generatorVersion: ">=9"\n  argocd:')}, "fleet/fleet.yaml:5:21"),
    ("UnknownClass", {CLUSTER: ("className: h100", "className: h200")}, "fleet/cluster.yaml:7:29"),
    (
        "MixedClaims",
        {CLASS: ("  - name: gpu", "  - {name: x, driver: a.b, claim: ExtendedResource, resourceName: a.b/c}\n  - name: gpu")},
        "fleet/cluster.yaml:7:29",
    ),
    ("DRATooOld", {CLUSTER: ("gateway:", 'kubernetesVersion: "1.33"\n  gateway:')}, "fleet/cluster.yaml:8:29"),
    (
        "SameDestination",
        {NEW: GOOD[CLUSTER].replace("name: east", "name: west").replace("spec:", "spec:\n  destination: {name: east}")},
        "fleet/new.yaml:5:16",
    ),
    ("AddOnCollides", {NEW: ADD_ON, FLEET: ("placement:", "components: [{name: keda}]\n  placement:")}, "fleet/new.yaml:3:18"),
    # across files
    ("SelectorSyntax", {MODEL: (PRODUCTS, "selectors: [{cel: 'device.'}]")}, "models/ml/chat.yaml:13:45"),
    ("SelectorType", {MODEL: (PRODUCTS, "selectors: [{cel: 'device.driver >= 1'}]")}, "models/ml/chat.yaml:13:45"),
    (
        "SelectorNotSupported",
        {MODEL: (PRODUCTS, "selectors: [{cel: 'duration(device.driver) == duration(device.driver)'}]")},
        "models/ml/chat.yaml:13:45",
    ),
    ("SelectorTooLarge", {MODEL: (PRODUCTS, f"selectors: [{{cel: '{'(' * 110}true{')' * 110}'}}]")}, "models/ml/chat.yaml:13:45"),
    (
        "UnknownAttribute",
        {MODEL: (PRODUCTS, """selectors: [{cel: 'device.attributes["gpu.nvidia.com"].productNam == "x"'}]""")},
        "models/ml/chat.yaml:13:45",
    ),
    (
        "SelectorStopsClaim",
        {
            MODEL: (PRODUCTS, """selectors: [{cel: 'device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100"'}]"""),
            CLASS: ("devices:\n", "devices:\n  - {name: bare, driver: gpu.nvidia.com, deviceClassName: gpu.nvidia.com}\n"),
        },
        "models/ml/chat.yaml:13:45",
    ),
    (
        "SelectorNeedsVersion",
        {MODEL: (PRODUCTS, "selectors: [{cel: '!device.allowMultipleAllocations'}]")},
        "models/ml/chat.yaml:13:45",
    ),
    (
        "WrittenSecret",
        {FLEET: ("https://git.example.com/fleet.git", "https://user:hunter2@git.example.com/fleet.git")},
        "fleet/fleet.yaml:5:21",
    ),
    ("NominalMemory", {MODEL: (PRODUCTS, "memory: {atLeast: 80Gi}")}, "models/ml/chat.yaml:13:45"),
    ("NoMatchingClass", {MODEL: ("NVIDIA H100]", "NVIDIA H900]")}, "models/ml/chat.yaml:13:15"),
    (
        "SelectsNothing",
        {MODEL: ("engines:", "clusterSelector: {matchLabels: {tier: producton}}\n      engines:")},
        "models/ml/chat.yaml:8:24",
    ),
    ("UnknownCache", {MODEL: ("engines:", "modelCacheRef: {name: qwen}\n      engines:")}, "models/ml/chat.yaml:8:29"),
    ("UnknownTarget", {"models/ml/s.yaml": SERVICE + "{deployment: chta}\n"}, "models/ml/s.yaml:6:18"),
    (
        "ServedNameMismatch",
        {
            "models/ml/s.yaml": SERVICE + "{deployment: chat}\n  - {deployment: talk}\n",
            "models/ml/talk.yaml": GOOD[MODEL].replace("chat", "talk"),
        },
        "models/ml/s.yaml:7:5",
    ),
    ("UnknownCluster", {NEW: FRONT.replace("east", "eats")}, "fleet/new.yaml:4:21"),
    ("NoGateway", {CLUSTER: ("{hostname: east.example.com, scheme: HTTP, insecure: true}", "{}"), NEW: FRONT}, "fleet/cluster.yaml:5:12"),
    ("NoTrust", {CLUSTER: (", scheme: HTTP, insecure: true", ""), NEW: FRONT}, "fleet/cluster.yaml:5:12"),
    ("NoHub", {NEW: FRONT.replace("{clusterName: east}", "{}")}, "fleet/new.yaml:4:7"),
    ("GatewayPlace", {NEW: FRONT, "fleet/other.yaml": FRONT.replace("front", "other")}, "fleet/other.yaml:4:21"),
    ("SameHostname", {NEW: GOOD[CLUSTER].replace("{name: east", "{name: west")}, "fleet/new.yaml:5:23"),
    (
        "KeysBySelector",
        {NEW: FRONT.replace("east}", "east, auth: {apiKey: {secretSelector: {matchLabels: {a: b}}}}}")},
        "fleet/new.yaml:4:59",
    ),
    (
        "KeysInClear",
        {NEW: FRONT.replace("east}", "east, auth: {apiKey: {secretRefs: [{name: callers}]}}}")},
        "fleet/new.yaml:4:33",
    ),
    ("NoFrontDoor", {"models/ml/s.yaml": SERVICE + "{deployment: chat}\n"}, "models/ml/s.yaml:3:18"),
    (
        "NothingAnswers",
        {NEW: FRONT, "models/ml/s.yaml": SERVICE + "{deployment: chat}\n", CLUSTER: ("gateway:", "state: Offline\n  gateway:")},
        "models/ml/s.yaml:6:3",
    ),
    (
        "NoRegion",
        {NEW: FRONT, "models/ml/s.yaml": SERVICE + "{deployment: chat}\n  locality: PreferRegion\n"},
        "models/ml/s.yaml:7:13",
    ),
    (
        "ProviderModel",
        {"models/ml/s.yaml": SERVICE + "{deployment: chat}\n  - {endpoint: e}\n", "models/ml/e.yaml": PROVIDER},
        "models/ml/s.yaml:7:5",
    ),
    (
        "NoTranslation",
        {
            "models/ml/s.yaml": SERVICE + "{deployment: chat}\n  - {endpoint: e}\n",
            "models/ml/e.yaml": PROVIDER.replace("com'", "com', api: {schema: Anthropic}"),
        },
        "models/ml/s.yaml:7:5",
    ),
    (
        "ProviderAddress",
        {
            NEW: FRONT.replace("east}", "east, routing: [ModelName]}"),
            "models/ml/s.yaml": SERVICE + "{endpoint: e}\n",
            "models/ml/e.yaml": PROVIDER.replace("{origin: 'https://a.example.com'}", "{url: 'http://10.0.0.7:9000'}"),
        },
        "models/ml/s.yaml:6:5",
    ),
    ("TooManyShares", _crowd(17), "models/ml/s.yaml:6:3"),
    ("SharesLeftOut", _crowd(16, leaving=1), "models/ml/s.yaml:6:3"),
    ("TwoOwners", {NEW: TEAM, "fleet/b.yaml": TEAM.replace("name: a", "name: b")}, "fleet/b.yaml:5:16"),
    ("NoTeam", {FLEET: ("placement:", "tenancy: Required\n  placement:")}, "models/ml/chat.yaml:3:35"),
    (
        "TeamRights",
        {NEW: TEAM + "  maxPriority: 100\n", MODEL: ("replicas: 1", "replicas: 1\n  priority: 900")},
        "models/ml/chat.yaml:6:13",
    ),
    (
        "PodSecurity",
        {NEW: TEAM, MODEL: ("{name: engine, image: 'x:1'}", "{name: engine, image: 'x:1', ports: [{containerPort: 8000, hostPort: 80}]}")},
        "models/ml/chat.yaml:9:15",
    ),
    ("UnknownComponent", {FLEET: ("placement:", "components: [{name: kedaa}]\n  placement:")}, "fleet/fleet.yaml:6:23"),
    (
        "MissingComponent",
        {FLEET: ("placement:", "components: [{name: envoy-gateway}, {name: kube-prometheus-stack}]\n  placement:")},
        "fleet/cluster.yaml:3:18",
    ),
    ("NotYetRendered", {CLUSTER: ("gateway:", "stack: Dynamo\n  gateway:")}, "fleet/cluster.yaml:5:10"),
    ("NoMeaning", {NEW: OTHER}, "fleet/new.yaml:6:1"),
    ("DeclarationMissing", {MODEL: None}, "placements/ml/chat.yaml:7:15"),
    ("ClusterGone", {RECORD: ("cluster: east", "cluster: west")}, "placements/ml/chat.yaml:7:15"),
    ("StillRecorded", {RECORD: ("pool: h100", "pool: h200")}, "placements/ml/chat.yaml:7:3"),
    ("PlacementMissing", {RECORD: None}, "models/ml/chat.yaml:1:1"),
    (
        "PlacementUnrecorded",
        {
            RECORD: None,
            FLEET: GOOD[FLEET].replace("Packed", "Packed, recorded: Optional").replace("argocd: {", "argocd: {removal: Prune, "),
        },
        "models/ml/chat.yaml:1:1",
    ),
    ("PlacementOutdated", {MODEL: ("replicas: 1", "replicas: 2")}, "models/ml/chat.yaml:1:1"),
    ("Shortfall", {MODEL: ("replicas: 1", "replicas: 17"), RECORD: None}, "models/ml/chat.yaml:1:1"),
    ("Overcommitted", {CLUSTER: ("nodeCount: 2", "nodeCount: 0")}, "fleet/cluster.yaml:7:3"),
    (
        "GuaranteeLost",
        {
            FLEET: ("Packed", "Guaranteed"),
            MODEL: ("replicas: 1", "replicas: 8"),
            RECORD: GOOD[RECORD].replace("wanted: 1", "wanted: 8").replace("count: 1, minimum: 1", "count: 8, minimum: 8"),
            "models/ml/big.yaml": GOOD[MODEL].replace("chat", "big").replace("{name: gpu,", "{name: gpu, count: 8,"),
            "placements/ml/big.yaml": GOOD[RECORD].replace("chat", "big"),
        },
        "fleet/cluster.yaml:7:3",
    ),
    # pod templates
    (
        "PodConflict",
        {MODEL: ("{name: engine, image: 'x:1'}", "{name: engine, image: 'x:1', resources: {limits: {nvidia.com/gpu: 1}}}")},
        "models/ml/chat.yaml:17:67",
    ),
    (
        "UnknownVolume",
        {MODEL: ("{name: engine, image: 'x:1'}", "{name: engine, image: 'x:1', volumeMounts: [{name: w, mountPath: /w}]}")},
        "models/ml/chat.yaml:17:68",
    ),
]
