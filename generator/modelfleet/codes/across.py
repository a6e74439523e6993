"""What several files together show: rights, services, a change against its base; pod templates; what is not done yet."""

from __future__ import annotations

from .define import error, notice, warning

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
UNKNOWN_COMPONENT = error(
    "UnknownComponent",
    "A component is not in the catalog.",
    "Nothing would be installed, and nobody would miss it before a model does.",
    "Use one of the names in the hint; declare anything else as an AddOn.",
    "components: [{name: kedaa}]",
)
MISSING_COMPONENT = error(
    "MissingComponent",
    "A cluster lacks a component that the models there, or its other components, need.",
    "Their pods, routes or scalers would not be made: their definitions or drivers are not there.",
    "Add it to the components of the fleet or the cluster; with mode: Provided if someone else installs it.",
    "components: [{name: envoy-gateway}]  # and a gang: lws is missing",
)
ADD_ON_COLLIDES = error(
    "AddOnCollides",
    "An add-on has the name of a component of the stack, or installs what is installed there already.",
    "Two Applications would own the same objects.",
    "Rename the add-on, remove one of the two, or give it another namespace.",
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
UNAPPROVED_REMOVAL = error(
    "UnapprovedRemoval",
    "A declaration is gone whose removal the base had not approved.",
    "What it made would stay behind where nobody looks for it: Argo CD keeps what was not marked first.",
    "Put it back and run `modelfleet remove KIND NAME`; delete it in a later commit (`--finish`).",
    "a deleted ModelService",
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
