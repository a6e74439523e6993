"""Documents: kinds, fields, values, and fields that exclude or need each other."""

from __future__ import annotations

from .define import error, notice

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
RESERVED_NAMESPACE = error(
    "ReservedNamespace",
    "A namespace belongs to Kubernetes, to Argo CD or to modelfleet itself.",
    "Two Applications would own what stands there, and a team would get rights on what runs the cluster.",
    "Move the files to a folder of another name, and change metadata.namespace.",
    "metadata: {namespace: modelfleet-system}  # in models/modelfleet-system/",
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
WRITTEN_SECRET = error(
    "WrittenSecret",
    "A text looks like a secret that is written out: a token, a private key, a password in a URL, a value beside such a name.",
    "Everyone who can read the repository, or the cluster's objects, has it.",
    "Take it out and make it worthless; put a new one into a Secret and refer to it.",
    "env: [{name: HF_TOKEN, value: hf_...}]",
)
