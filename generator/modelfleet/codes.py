"""Every diagnostic code, documented once. `modelfleet explain CODE` prints these texts."""

from __future__ import annotations

from .diagnostics import Code, Severity

ALL: dict[str, Code] = {}


def _code(severity: Severity, name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    ALL[name] = Code(name, severity, what, why, fix, example)
    return ALL[name]


def error(name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    return _code(Severity.ERROR, name, what, why, fix, example)


def warning(name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    return _code(Severity.WARNING, name, what, why, fix, example)


def notice(name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    return _code(Severity.NOTICE, name, what, why, fix, example)


# --- load -----------------------------------------------------------------------------------------------------------

NOT_A_FLEET = error(
    "NotAFleet",
    "No fleet/fleet.yaml was found, here or in a folder above.",
    "Without it nothing says which repository this is, and an empty checkout must never be taken for an empty fleet.",
    "Run the command in a fleet repository, or name one with --repo.",
    "modelfleet --repo ~/fleet check",
)
FILE_TOO_LARGE = error(
    "FileTooLarge",
    "A declaration file is larger than 4 MiB.",
    "A file of that size is a mistake or an attack: the largest real declarations have a hundredth of it.",
    "Split it into several files.",
    "a file of 5 MiB under models/",
)
UNREADABLE = error(
    "Unreadable",
    "A file or folder cannot be read.",
    "What it declares is unknown, and an unknown declaration must not look like a removed one.",
    "Give read permission, or remove it.",
    "chmod 000 models/search/a.yaml",
)
NOT_UTF8 = error(
    "NotUTF8",
    "A file is not UTF-8 text.",
    "Other encodings read differently on other machines.",
    "Convert the file: iconv -f LATIN1 -t UTF-8 FILE.",
    "a file saved as UTF-16 or Latin-1",
)
NOT_A_FILE = error(
    "NotAFile",
    "A directory, or something else that is no regular file, has a name ending in .yaml, .yml or .json.",
    "A file was expected there.",
    "Rename it, or put a file in its place.",
    "mkdir fleet/clusters.yaml",
)
SYMLINK = error(
    "Symlink",
    "A symbolic link stands in a declaration folder.",
    "It could lead into another team's folder, or out of the repository.",
    "Put the file itself there.",
    "ln -s ../../fleet/classes models/search/classes",
)
UNPRINTABLE = error(
    "UnprintableCharacter",
    "A control character, a hidden direction mark or a line break of old YAML stands in a file.",
    "Readers disagree on it, and a reviewer does not see it.",
    "Remove it, or write it as an escape in double quotes.",
    '"a\\u0007b"',
)
YAML_SYNTAX = error(
    "YamlSyntax",
    "The file is not valid YAML.",
    "What it declares is unknown.",
    "Mend the line that is named; the hint says what usually helps.",
    "a: [1",
)
TOO_DEEP = error(
    "TooDeep",
    "Values are nested deeper than 64 levels.",
    "No declaration needs it, and deep nesting exhausts readers.",
    "Flatten it.",
    "a: [[[[[[ ... ]]]]]]",
)
ALIAS = error(
    "Alias",
    "An anchor (&) or alias (*) is used.",
    "A few bytes can stand for gigabytes, and a reader cannot see the value.",
    "Write the value out where it is used.",
    "a: &x 1",
)
TAG = error(
    "Tag",
    "A YAML tag (!) is used.",
    "Tags make readers build objects, and readers disagree on which.",
    "Leave the tag out; quote a value that is meant as text.",
    "a: !!int '1'",
)
MERGE_KEY = error(
    "MergeKey",
    "The merge key << is used.",
    "YAML 1.2 does not know it, and it hides which value holds.",
    "Write the fields out.",
    "<<: {a: 1}",
)
DUPLICATE_KEY = error(
    "DuplicateKey",
    "A key stands twice in a mapping.",
    "Most readers silently keep the last one.",
    "Remove one of the two.",
    "a: 1\na: 2",
)
QUOTE_STRING = error(
    "QuoteString",
    "A plain word is one thing for one YAML reader and another for the next.",
    "The API server would see another value than the reviewer: `no` is text or false, `012` is 12, 10 or text, `1e3` a number or text.",
    "Quote it where text is meant; else write true, false or a plain decimal number of 64 bits.",
    "a: no",
)

# --- validate -------------------------------------------------------------------------------------------------------

NOT_A_MAPPING = error(
    "NotAMapping",
    "A document is not a mapping of fields.",
    "It declares nothing.",
    "Begin it with apiVersion, kind, metadata and spec.",
    "- a",
)
UNKNOWN_KIND = error(
    "UnknownKind",
    "No such kind exists in this group.",
    "The document would declare nothing.",
    "Use a kind that exists; the hint names the nearest.",
    "kind: ModelDeploy",
)
WRONG_VERSION = error(
    "WrongVersion",
    "apiVersion is missing or not one that this program reads.",
    "Fields may mean something else there.",
    "Write apiVersion: modelfleet.io/v1alpha1.",
    "apiVersion: modelfleet.io/v1beta1",
)
FOREIGN_DOCUMENT = notice(
    "ForeignDocument",
    "A document of another group was skipped.",
    "This program neither reads nor applies it.",
    "Move it out of fleet/, models/ and placements/.",
    "apiVersion: apps/v1",
)
WRONG_FOLDER = error(
    "WrongFolder",
    "A kind stands under a folder that is not its own.",
    "Folders say who may declare what: platform kinds under fleet/, model kinds under models/<namespace>/.",
    "Move the file to the folder that the hint names.",
    "kind: InferenceCluster  # in models/search/",
)
WRONG_NAMESPACE = error(
    "WrongNamespace",
    "A document declares another namespace than its folder's.",
    "The folder is the tenant boundary.",
    "Change metadata.namespace, or move the file into that namespace's folder.",
    "metadata: {namespace: web}  # in models/search/",
)
DUPLICATE_OBJECT = error(
    "DuplicateObject",
    "Two documents declare the same object.",
    "Which one holds would depend on the order of files.",
    "Remove one, or give it another name.",
    "two files with kind: Team, metadata: {name: search}",
)
NO_FLEET = error(
    "NoFleet",
    "No document of kind Fleet was found.",
    "Nothing says how the repository is run.",
    "Declare one in fleet/fleet.yaml.",
    "an empty fleet/fleet.yaml",
)
UNKNOWN_FIELD = error(
    "UnknownField",
    "A field does not exist.",
    "What it was meant to say would be lost silently.",
    "Correct its name, or remove it.",
    "replica: 2",
)
MISSING_FIELD = error(
    "MissingField",
    "A required field is missing.",
    "There is no sensible default.",
    "Add it.",
    "metadata: {}  # without name",
)
WRONG_TYPE = error(
    "WrongType",
    "A value has another type than the field takes; values are never converted.",
    'A converted value hides a mistake: "2" is not 2, and 1.30 is not 1.3.',
    "Write the value in the field's type.",
    'replicas: "2"',
)
UNKNOWN_VALUE = error(
    "UnknownValue",
    "The field takes one of a few words, and this is none of them.",
    "Nothing would act on it.",
    "Use one of the words; they are CamelCase.",
    "strategy: spread",
)
BAD_NAME = error(
    "BadName",
    "A name does not follow Kubernetes' rule for the place where it is used.",
    "The API server would refuse it.",
    "Use lower-case letters, digits and '-'; begin and end with a letter or digit.",
    "name: My_Model",
)
BAD_VALUE = error(
    "BadValue",
    "A text does not have the form that the field takes.",
    "It could not be used.",
    "Follow the form in the hint.",
    "startupTimeout: soon",
)
OUT_OF_RANGE = error(
    "OutOfRange",
    "A number lies outside its range.",
    "It could not be used.",
    "Choose a number inside the range that the message names.",
    "replicas: 1001",
)
TOO_MANY = error(
    "TooMany",
    "A list, mapping or text has too many or too few items.",
    "A limit of Kubernetes or of the API is passed.",
    "Stay within the limit that the message names.",
    "nodePools: []",
)
DUPLICATE_ITEM = error(
    "DuplicateItem",
    "Two items of a list have one name.",
    "Names are how items are known.",
    "Rename or remove one.",
    "nodePools: [{name: a, className: x}, {name: a, className: y}]",
)
ONE_OF = error(
    "OneOf",
    "Of several fields exactly one must be set.",
    "They exclude each other.",
    "Keep one.",
    "destination: {name: east, server: https://east.example.com}",
)
BAD_QUANTITY = error(
    "BadQuantity",
    "A text is not a Kubernetes quantity.",
    "Kubernetes would refuse it.",
    "Write 22Gi, 500m or 4: a number and a suffix of Kubernetes, without a blank.",
    "memory: 80 Gigs",
)
BAD_VERSION = error(
    "BadVersion",
    "A text is not a semantic version.",
    "Kubernetes would refuse it.",
    "Write MAJOR.MINOR.PATCH.",
    'version: "9.0"',
)
EMPTY_RANGE = error(
    "EmptyRange",
    "A lower bound is not below its upper bound.",
    "Nothing could ever match.",
    "Correct one of the bounds.",
    "memory: {atLeast: 90Gi, below: 40Gi}",
)
ATTRIBUTE_TYPE = error(
    "AttributeType",
    "A device attribute must have exactly one type.",
    "It could not be compared.",
    "Keep one of string, version, bool and int.",
    "productName: {string: H100, int: 1}",
)
BAD_TOLERATION = error(
    "BadToleration",
    "A toleration's fields contradict each other.",
    "It would tolerate nothing, or everything.",
    "Follow the hint: Equal has a key, Exists has no value.",
    "tolerations: [{operator: Exists, value: a}]",
)
RESERVED_LABEL = error(
    "ReservedLabel",
    "A label key belongs to modelfleet.",
    "Selectors of running workloads depend on it.",
    "Use a prefix of your own.",
    "labels: {modelfleet.io/cluster: east}",
)
NO_ENGINE_CONTAINER = error(
    "NoEngineContainer",
    "Exactly one container must be named `engine`.",
    "It is the one that gets the devices and serves the model.",
    "Name that container `engine`, and no other.",
    "containers: [{name: vllm, image: vllm/vllm-openai:v0.33.0}]",
)
REPLICAS_BESIDE_SCALING = error(
    "ReplicasBesideScaling",
    "replicas and scaling stand together.",
    "One number would have two owners.",
    "Remove one of the two.",
    "replicas: 2, scaling: {maxReplicas: 4}",
)
SCALING_MANY_ENGINES = error(
    "ScalingManyEngines",
    "scaling is set for several engines.",
    "They would scale out of step.",
    "Set scaling in each engine, with minCopies and maxCopies.",
    "scaling: {maxReplicas: 4}  # beside two engines",
)
TRIGGER_QUERY = error(
    "TriggerQuery",
    "query and type Prometheus must stand together.",
    "The trigger would ask nothing, or something else than its type says.",
    "Set both or neither.",
    "triggers: [{type: Prometheus, target: '4'}]",
)
RECORDED_OPTIONAL_RETIRES = error(
    "RecordedOptionalRetires",
    "recorded: Optional is set with removal: Retire.",
    "A placement that is not recorded can move with any commit, so nothing could promise that it stays.",
    "Use recorded: Required, or removal: Prune.",
    "placement: {recorded: Optional}",
)

# --- resolve --------------------------------------------------------------------------------------------------------

TWO_FLEETS = error(
    "TwoFleets",
    "More than one document is of kind Fleet.",
    "Settings must have one owner.",
    "Keep one, in fleet/fleet.yaml.",
    "kind: Fleet  # in two files",
)
GENERATOR_VERSION = error(
    "GeneratorVersion",
    "The running modelfleet is not one that the fleet asks for.",
    "Another version may render other objects.",
    "Install a version in the range, or change spec.generatorVersion in a commit of its own.",
    'generatorVersion: ">=9"',
)
UNKNOWN_CLASS = error(
    "UnknownClass",
    "A pool or a team names an InferenceClass that does not exist.",
    "Its devices are unknown.",
    "Correct the name.",
    "className: h100-8",
)
MIXED_CLAIMS = error(
    "MixedClaims",
    "A class has both DRA and extended-resource devices.",
    "A node hands out its devices in one way.",
    "Split it into two classes, and the pool into two pools.",
    "devices: [{claim: DRA}, {claim: ExtendedResource}]",
)
DRA_TOO_OLD = error(
    "DRATooOld",
    "A pool claims by DRA on a cluster older than Kubernetes 1.34.",
    "The API resource.k8s.io/v1 is not served there.",
    "Use claim ExtendedResource in the class, or a newer cluster.",
    'kubernetesVersion: "1.33"',
)
SAME_DESTINATION = error(
    "SameDestination",
    "Two clusters have one Argo CD destination.",
    "They would fight over the same objects.",
    "Give each cluster its own destination.",
    "destination: {name: east}  # in two clusters",
)

# --- across files ---------------------------------------------------------------------------------------------------

SELECTOR_SYNTAX = error(
    "SelectorSyntax",
    "A device selector is not valid CEL.",
    "Kubernetes would refuse the claim.",
    "Correct it at the line and column of the expression that the message names.",
    "cel: device.attributes[",
)
SELECTOR_TYPE = error(
    "SelectorType",
    "A device selector does not pass Kubernetes' type check.",
    "Kubernetes would refuse the claim.",
    "Correct it: compare quantities with compareTo, versions with semver().",
    'cel: device.capacity["gpu.nvidia.com"].memory >= quantity("40Gi")',
)
SELECTOR_NOT_SUPPORTED = error(
    "SelectorNotSupported",
    "A device selector uses what this program cannot evaluate as Kubernetes does.",
    "A guess would place wrongly.",
    "Reword it as the hint says.",
    'cel: duration("1h") > duration("1m")',
)
SELECTOR_TOO_LARGE = error(
    "SelectorTooLarge",
    "A device selector is longer or costlier than Kubernetes allows.",
    "Kubernetes would refuse it.",
    "Shorten it, or split it into several selectors.",
    "cel: ((((( ... )))))",
)
UNKNOWN_ATTRIBUTE = error(
    "UnknownAttribute",
    "A selector reads an attribute or capacity that no class publishes.",
    "It could never match.",
    "Correct its name; the hint is the nearest that a class publishes.",
    'cel: device.attributes["gpu.nvidia.com"].productNam == "NVIDIA H200"',
)
NO_MATCHING_CLASS = error(
    "NoMatchingClass",
    "No pool of any cluster has devices that serve an engine.",
    "It could never be placed.",
    "Ask for what some class has; `modelfleet explain NS/NAME` says what each cluster lacks.",
    "products: [NVIDIA H900]",
)
DECLARATION_MISSING = error(
    "DeclarationMissing",
    "A recorded placement has no ModelDeployment, or a unit has neither.",
    "Nothing says what to run; what runs is kept.",
    "Put the declaration back. To take it away: replicas: 0, modelfleet place, merge, modelfleet place --finish.",
    "a deleted file under models/",
)
CLUSTER_GONE = error(
    "ClusterGone",
    "A recorded placement names a cluster that is not declared.",
    "Its workloads can be neither kept nor removed on purpose.",
    "Put the cluster back, and drain it first: a taint with effect NoExecute, modelfleet place, merge, modelfleet place --finish.",
    "a deleted file under fleet/clusters/",
)
STILL_RECORDED = error(
    "StillRecorded",
    "A recorded entry names an engine, pool or device group that is gone.",
    "What runs there could not be rendered.",
    "Run `modelfleet place`: the entry is retired, and replaced where there is room.",
    "a pool renamed from h100 to h100-a",
)
PLACEMENT_MISSING = error(
    "PlacementMissing",
    "A deployment has no recorded placement.",
    "Nothing of it is rendered.",
    "Run `modelfleet place` and commit what it writes.",
    "a new file under models/ without `modelfleet place`",
)
PLACEMENT_UNRECORDED = warning(
    "PlacementUnrecorded",
    "A deployment was placed in memory only.",
    "The next commit may place it elsewhere.",
    "Run `modelfleet place` and commit what it writes.",
    "modelfleet generate  # before modelfleet place",
)
PLACEMENT_OUTDATED = error(
    "PlacementOutdated",
    "A recorded placement is not what its declarations ask for now.",
    "What runs is not what was declared.",
    "Run `modelfleet place` and commit what it writes.",
    "replicas: 3  # the record has wanted: 2",
)
PLACEMENT_EDITED = warning(
    "PlacementEdited",
    "A record is valid, and not what placing gives when it starts from the base.",
    "Somebody chose another place by hand; the platform team should know why.",
    "Let the platform team review it, or place again from the base's records.",
    "count: 2  # where placing gives 1 and 1",
)
NOT_FINISHED = error(
    "NotFinished",
    "A retiring entry cannot be dropped yet.",
    "Argo CD prunes only what it has seen marked for it, and dropping what serves loses replicas.",
    "Merge the commit that retires it first; accept the loss of replicas by name where it is meant.",
    "modelfleet place --finish  # in the commit that retires",
)
SHORTFALL = warning(
    "Shortfall",
    "Fewer replicas have a place than are wanted.",
    "The model serves with less.",
    "`modelfleet explain NS/NAME` says why, cluster by cluster.",
    "replicas: 100",
)
GUARANTEE_LOST = warning(
    "GuaranteeLost",
    "The pods recorded on a pool all run, and after a restart one of them may find no node.",
    "Accounting Guaranteed holds for what is placed from now on; what is recorded is never evicted.",
    "Move or scale down one of the holders, give the large pods a pool of their own, or use accounting Packed.",
    "accounting: Guaranteed  # with pods of 8 and of 1 device on one pool",
)
NEWLY_OVERCOMMITTED = error(
    "NewlyOvercommitted",
    "A changed record puts more on a pool than it has, and the base did not.",
    "Two changes took the same devices: each was right alone, and together some of their pods would wait.",
    "Place again from the records of the base; in a merge queue the second change is refused like this.",
    "two merged pull requests that took the same last node",
)
OVERCOMMITTED = warning(
    "Overcommitted",
    "The pods recorded on a pool need more than it has.",
    "Some of them wait. Nothing is evicted.",
    "Move or scale down one of the holders; nothing is evicted meanwhile.",
    "nodeCount: 1  # 2 nodes were recorded full",
)
NO_SUCH = error(
    "NoSuch",
    "The command line names something that is not there.",
    "Nothing could be selected.",
    "Use one of the names in the hint.",
    "modelfleet explain search/qwen",
)

# --- the wider API: fields that exclude or need each other ------------------------------------------------------------

CONTRADICTION = error(
    "Contradiction",
    "A field has no meaning beside the value of another field.",
    "It would be ignored silently.",
    "Remove it, or change the other field.",
    "worker: {nodes: 2}  # on a Standalone member",
)
UNKNOWN_REFERENCE = error(
    "UnknownReference",
    "A field names an item of the same document that is not there.",
    "It would select nothing.",
    "Use one of the names in the hint.",
    "constraints: [{requests: [gpus], matchAttribute: resource.kubernetes.io/pcieRoot}]",
)
BAD_TEMPLATE = error(
    "BadTemplate",
    "A text with placeholders uses one that does not exist, or more than names and filters.",
    "It would be rendered empty or not at all.",
    "Use the placeholders that the message lists.",
    'keyTemplate: "teams/{team}"',
)
INSECURE = error(
    "Insecure",
    "A gateway would be reached without TLS and nobody said that this is meant.",
    "Prompts and answers would travel in the clear.",
    "Declare whom the fronts trust (tls), or say insecure: true.",
    "gateway: {hostname: a.example.com, scheme: HTTP}",
)
ENGINE_SHAPE = error(
    "EngineShape",
    "The members of an engine, or the engines of a deployment, do not make a whole.",
    "There would be nothing to start.",
    "One Standalone, or a Leader and a Worker; with mode PrefillDecode one engine of each phase.",
    "members: [{role: Leader}]",
)
SCALING_ONE_ENGINE = error(
    "ScalingOneEngine",
    "The only engine of a deployment has scaling of its own.",
    "Replicas and copies would both grow.",
    "Move it to spec.scaling, with minReplicas and maxReplicas.",
    "engines: [{name: main, scaling: {maxCopies: 4}}]",
)
TIERS = error(
    "Tiers",
    "A service has more than two tiers, or tiers beside locality.",
    "A gateway fails over once: first tier, second tier.",
    "Use at most two distinct priorities; with locality PreferRegion one.",
    "endpoints: [{priority: 0}, {priority: 1}, {priority: 2}]",
)
BAD_URL = error(
    "BadURL",
    "A URL is not one that a gateway can route to.",
    "Requests would go nowhere.",
    "Write scheme, host name and, where the field takes it, port and path.",
    "origin: https://10.0.0.1/v1",
)

# --- the wider API: what this release does not do yet, and what Modelplane's fields mean here --------------------------

NOT_YET_RENDERED = warning(
    "NotYetRendered",
    "A field is checked, and this release does nothing with it yet.",
    "Nothing is ignored silently.",
    "Leave it if that is fine until a release that does it; the message says what happens meanwhile.",
    "placement: {strategy: Cheapest}",
)
NO_MEANING = notice(
    "NoMeaning",
    "A field of Modelplane's API is read and has no meaning here.",
    "Another part of the fleet does what it is for.",
    "Leave it, or remove it when you migrate.",
    "spec: {backend: Traefik, traefik: {version: 40.2.0}}",
)

# --- across files: references, rights, services, and a change against its base -----------------------------------------

SAME_BUT_FOR_CASE = error(
    "SameButForCase",
    "Two files or folders differ only in upper and lower case.",
    "On many people's machines only one of them can exist.",
    "Rename one.",
    "fleet/clusters/East.yaml beside fleet/clusters/east.yaml",
)
UNKNOWN_CLUSTER = error(
    "UnknownCluster",
    "A declaration names a cluster that does not exist.",
    "It would stand nowhere.",
    "Use one of the names in the hint.",
    "clusterName: gke-us-esat4",
)
UNKNOWN_CACHE = error(
    "UnknownCache",
    "A deployment uses a ModelCache that does not exist in its namespace.",
    "Its pods would wait for a volume for ever.",
    "Declare the cache, or correct the name.",
    "modelCacheRef: {name: qwen}",
)
UNKNOWN_TARGET = error(
    "UnknownTarget",
    "A service names a deployment or endpoint that does not exist in its namespace.",
    "Its share of the requests would fail.",
    "Use one of the names in the hint.",
    "endpoints: [{deployment: qwen3-8}]",
)
SELECTS_NOTHING = warning(
    "SelectsNothing",
    "A selector matches nothing that is declared.",
    "What it is for has no effect.",
    "Correct its labels, or declare what it is meant for.",
    "clusterSelector: {matchLabels: {tier: producton}}",
)
NO_GATEWAY = warning(
    "NoGateway",
    "A cluster has no host name or address for its gateway.",
    "What is placed there is left out of the fleet's routes.",
    "Set spec.gateway.hostname.",
    "gateway: {}",
)
NO_TRUST = error(
    "NoTrust",
    "A front door reaches a cluster by TLS and nothing says whom it trusts.",
    "It would trust nobody, and no request would arrive.",
    "Set spec.gateway.tls: wellKnown: System for a public certificate, caConfigMapRef for your own.",
    "gateway: {hostname: a.example.com}",
)
NO_HUB = warning(
    "NoHub",
    "An InferenceGateway names no cluster, and no cluster is the hub.",
    "It stands nowhere, and no service is reached through it.",
    "Set clusterName, or declare the hub: a cluster with destination.server https://kubernetes.default.svc.",
    "kind: InferenceGateway, spec: {}",
)
GATEWAY_PLACE = error(
    "GatewayPlace",
    "Two InferenceGateways stand on one cluster.",
    "They would claim the same ports.",
    "Set clusterName to a cluster without a front door; without clusterName it is the hub.",
    "spec: {clusterName: hub}  # twice",
)
ADD_ON_COLLIDES = error(
    "AddOnCollides",
    "An add-on has the name of a component of the stack.",
    "Two Applications would have one name.",
    "Rename the add-on.",
    "kind: AddOn, metadata: {name: keda}",
)
TWO_OWNERS = error(
    "TwoOwners",
    "Two teams own one namespace.",
    "Whose rights hold would depend on the order of files.",
    "Leave it to one of them.",
    "namespaces: [search]  # in two teams",
)
NO_TEAM = error(
    "NoTeam",
    "A namespace belongs to no team, and the fleet asks that each does.",
    "Nobody's rights or quota would hold for it.",
    "Add it to a Team, or set tenancy: Optional in the Fleet.",
    "tenancy: Required",
)
TEAM_RIGHTS = error(
    "TeamRights",
    "A deployment asks for what its team may not use: a class, a cluster or a priority.",
    "It could never be placed, or would push others back.",
    "Ask for less, or ask the platform team for the right.",
    "priority: 900  # the team's maxPriority is 100",
)
NOMINAL_MEMORY = warning(
    "NominalMemory",
    "A memory bound is the size on the box, and a device just misses it.",
    "Devices report less: a 24 GB L4 has 23034Mi, an 80 GB H100 81559Mi.",
    "Ask for what the device reports, or for a little less.",
    "memory: {atLeast: 80Gi}",
)
SERVED_NAME_MISMATCH = error(
    "ServedNameMismatch",
    "The targets of a service that is called by path serve different model names.",
    "A gateway does not rewrite the body: part of the requests would name a model that the answering engine does not know.",
    "Give the deployments one serving.modelName, or route by model name alone.",
    "endpoints: [{deployment: a}, {deployment: b}]",
)
BASE = error(
    "Base",
    "The base that a change is compared with cannot be read.",
    "What the change takes away cannot be told.",
    "Name a commit that is there; in CI fetch the whole history.",
    "modelfleet check --base origin/main",
)
UNRETIRED_REMOVAL = error(
    "UnretiredRemoval",
    "A recorded entry is gone and was not retiring before.",
    "What runs there could not be removed, or would be torn down at once.",
    "Put it back with retiring: true; drop it in a later commit (`modelfleet place --finish`).",
    "a deleted file under placements/",
)
TOO_MANY_REMOVALS = error(
    "TooManyRemovals",
    "A change retires or drops more recorded replicas than the fleet allows at once.",
    "It may be a mistake: a lost file, a wrong selector.",
    "Make it in steps, or approve it: `modelfleet place --allow-removals`.",
    "placement: {maxRemovals: {percent: 25, atLeast: 2}}",
)
IMMUTABLE = error(
    "Immutable",
    "A field changed that never changes while something depends on it.",
    "What runs would be left behind where nobody looks for it.",
    "Put the old value back; declare a second object and move over, or retire what is recorded first.",
    "clusterName: east  # was west",
)

# --- pod templates --------------------------------------------------------------------------------------------------

POD_CONFLICT = error(
    "PodConflict",
    "A pod template sets what modelfleet sets: the claim `devices`, a pool's node label, a limit on devices, nodeName, /dev/shm's volume.",
    "One of the two would win silently: the pods would run elsewhere than recorded, or take devices that the ledger does not count.",
    "Remove it from the template; say what the pod needs in nodeSelector.devices and clusterSelector.",
    "resources: {limits: {nvidia.com/gpu: 1}}",
)
UNKNOWN_VOLUME = error(
    "UnknownVolume",
    "A container mounts a volume that the pod does not have.",
    "The API server would refuse the pod.",
    "Add the volume to `volumes`, or correct the name.",
    "volumeMounts: [{name: weigths, mountPath: /weights}]",
)

# --- advice: what would start and disappoint ---------------------------------------------------------------------------

NO_DRAIN = warning(
    "NoDrain",
    "A vLLM engine is not told to finish its requests when it stops.",
    "Its default aborts what is under way, at every update and every scale-down.",
    "Pass --shutdown-timeout with less seconds than serving.terminationGracePeriod.",
    "args: [--model=Qwen/Qwen3-8B]",
)
SERVED_NAME_NOT_PASSED = warning(
    "ServedModelNameNotPassed",
    "A vLLM engine answers to another name than the one that callers send.",
    "Requests by the declared name get 404, and the scaler finds no metric of the model.",
    "Pass --served-model-name=$(MODELFLEET_SERVED_MODEL_NAME), or set serving.modelName to what is passed.",
    "args: [--served-model-name=qwen]",
)
IMAGE_NOT_PINNED = warning(
    "ImageNotPinned",
    "An image has no tag, or the tag latest.",
    "What runs changes when a pod restarts, and no commit says so.",
    "Name a version or a digest.",
    "image: vllm/vllm-openai",
)
SECRET_IN_ENV = error(
    "SecretInEnv",
    "A variable of a pod looks like a secret that is written out.",
    "Everyone who can read the repository, or the cluster's objects, has it.",
    "Take it out and make it worthless; put a new one into a Secret and refer to it.",
    "env: [{name: HF_TOKEN, value: hf_...}]",
)
DECODE_PORT = error(
    "DecodePort",
    "A vLLM engine with phase Decode is given no port of its own.",
    "The routing sidecar takes the serving port, so the engine would not start.",
    "Pass --port with another number.",
    "phase: Decode  # and args without --port",
)
PARALLEL_SIZE = warning(
    "ParallelSize",
    "The parallel sizes that an engine is given do not make up the devices that it claims.",
    "With more it never starts; with less devices stand idle.",
    "Pass --tensor-parallel-size=$(MODELFLEET_DEVICE_COUNT), or change the number of devices.",
    "args: [--tensor-parallel-size=4]  # and count: 2",
)
UPDATE_STOPS_MODEL = warning(
    "UpdateStopsModel",
    "An update would take all pods of a model away at once.",
    "Nothing serves until the first new pod has loaded.",
    "Run more replicas on one cluster, or pay for a pod more during updates: rollout: {maxSurge: 1}.",
    "replicas: 1",
)
COLD_START = notice(
    "ColdStart",
    "A model sleeps until somebody calls.",
    "The first callers wait, or get 503 with Retry-After, until it has loaded.",
    "Keep one replica loaded, or give the service a second tier.",
    "scaling: {minReplicas: 0, wake: OnRequest}",
)
WAKE_UNSEEN = error(
    "WakeUnseen",
    "A model that sleeps until somebody calls has an endpoint picker.",
    "Nobody counts the requests that find no pod behind a picker, so it would sleep for ever.",
    "Leave the picker out, or keep one replica.",
    "wake: OnRequest  # and picker: EndpointPicker",
)
FIELD_TOO_NEW = error(
    "FieldTooNew",
    "A pod asks for what the Kubernetes of its cluster does not know.",
    "The API server would drop the field silently, or refuse the pod.",
    "Leave it out, select other clusters, or declare the cluster's true kubernetesVersion.",
    "volumes: [{name: w, image: {reference: w:v1}}]  # on 1.34",
)
NO_CACHE_STORAGE = warning(
    "NoCacheStorage",
    "A model's files are staged on a cluster that names no storage class for caches.",
    "The cluster's default class is asked for a volume that many nodes mount, and most defaults have none.",
    "Set spec.cache.storageClassName in the cluster's file.",
    "modelCacheRef: {name: qwen}  # on a cluster without cache",
)
NO_PICKER = warning(
    "NoPicker",
    "A deployment that asks for an endpoint picker stands on a cluster whose gateway knows no InferencePool.",
    "Its requests are spread evenly there.",
    "Set gateway.inferencePools where the gateway can, or select other clusters.",
    "picker: EndpointPicker  # without gateway: {inferencePools: true}",
)
NO_PHASES = error(
    "NoPhases",
    "Prefill and decode stand apart on a cluster whose gateway knows no InferencePool.",
    "Without a picker no prompt is read by the prefill engine, and its devices stand idle.",
    "Set gateway.inferencePools where the gateway can, or select other clusters.",
    "mode: PrefillDecode  # without gateway: {inferencePools: true}",
)
