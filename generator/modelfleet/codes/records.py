"""References of the hardware, selectors, recorded placements."""

from __future__ import annotations

from .define import error, warning

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
SELECTOR_STOPS_CLAIM = warning(
    "SelectorStopsClaim",
    "A selector fails on other devices of a node that it also finds a device on.",
    "Kubernetes stops the whole claim at an evaluation error and does not go on to the next device: the pod may stay pending.",
    "Guard the selector as the hint shows, so that it is false of devices without the attribute.",
    'cel: device.attributes["gpu.nvidia.com"].nvlink  # the node has devices with and without it',
)
SELECTOR_NEEDS_VERSION = warning(
    "SelectorNeedsVersion",
    "A selector reads what clusters that the deployment may use know only in a later version of Kubernetes.",
    "The API server of such a cluster refuses the claim, unless its feature gate is on.",
    "Select newer clusters by clusterSelector, correct kubernetesVersion, or leave the condition out.",
    "cel: device.allowMultipleAllocations  # kubernetesVersion: 1.34",
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
    "Put the declaration back. To take it away: `modelfleet remove ModelDeployment NS/NAME`, merge, and the same with `--finish`.",
    "a deleted file under models/",
)
CLUSTER_GONE = error(
    "ClusterGone",
    "A recorded placement names a cluster that is not declared.",
    "Its workloads can be neither kept nor removed on purpose.",
    "Put the cluster back and drain it: `modelfleet drain CLUSTER`. If the cluster itself no longer exists, or has another name: "
    "`modelfleet place --allow-removals`.",
    "a deleted file under fleet/clusters/",
)
CLUSTER_LEFT = warning(
    "ClusterLeft",
    "An entry retires on a cluster that is not declared.",
    "Nobody tends what still runs there: Argo CD leaves it as it is.",
    "Merge this, then run `modelfleet place --finish`. If the cluster still runs, put it back and drain it instead.",
    "retiring: true  # on a cluster whose file was deleted",
)
STILL_RECORDED = error(
    "StillRecorded",
    "A recorded entry names an engine, pool or device group that is gone.",
    "What runs there could not be rendered.",
    "Put it back, or correct the record; to take it away retire what runs there first. Device groups: run `modelfleet place`.",
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
CANNOT_EDIT = error(
    "CannotEdit",
    "A command cannot change a file without rewriting it.",
    "Comments and the order of what people wrote would be lost.",
    "Change it by hand: `replicas: 0` and no `scaling` to remove a deployment, `modelfleet.io/remove: approved` under "
    "metadata.annotations to remove anything else, the taint `modelfleet.io/drain:NoExecute` to drain a cluster; then `modelfleet place`.",
    "metadata:\n  annotations: {modelfleet.io/remove: approved}",
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
    "`modelfleet place --give-up NS/NAME` moves a holder; or give the large pods a pool of their own, or use accounting Packed.",
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
    "`modelfleet place --give-up NS/NAME` moves a holder to where there is room; or scale one down.",
    "nodeCount: 1  # 2 nodes were recorded full",
)
OUTPUT_FOLDER = error(
    "OutputFolder",
    "The folder for output holds declarations, or a link that leads elsewhere.",
    "Manifests would be written among declarations, or over files that are none of the tree's.",
    "Name another folder, such as rendered; remove the link.",
    "modelfleet generate -o fleet",
)
NO_SUCH = error(
    "NoSuch",
    "The command line names something that is not there.",
    "Nothing could be selected.",
    "Use one of the names in the hint.",
    "modelfleet explain search/qwen",
)
