"""What the platform team declares: fleet, classes, clusters, gateways, teams, add-ons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import __version__
from ..api.quantity import Quantity
from ..catalog import Hardware, Shape
from .text import File, flow, head, lines, q, texts

_README = """# {name}

An inference fleet, declared for [modelfleet](https://github.com/modelfleet/modelfleet).

    fleet/         the platform team's: the fleet, hardware classes, clusters, gateways, teams
    models/        the model teams', a folder for each namespace
    placements/    where every replica runs: written by `modelfleet place`, reviewed like everything else

Begin with hardware, a cluster and a model:

    modelfleet new class --list
    modelfleet new class h100-8x --shape p5.48xlarge
    modelfleet new cluster my-cluster --pool h100=h100-8x:2
    modelfleet new deployment Qwen/Qwen3-8B --namespace search
    modelfleet place
    modelfleet check
    modelfleet generate
"""
_PLACEHOLDER = "https://git.example.com/fleet.git"
_KEPT = 0.95  # of a machine's cores and memory, for pods; the kubelet and daemon sets hold the rest


def fleet(name: str, repo_url: str) -> list[File]:
    """A repository without clusters and models."""
    version = ".".join(__version__.split(".")[:2])
    url = [f"    repoURL: {q(repo_url or _PLACEHOLDER)}" + ("" if repo_url else "   # put your repository's URL here: Argo CD reads it")]
    text = lines(
        head("Fleet", name),
        f'  generatorVersion: ">={version},<1"    # a newer major version renders nothing until this line says so',
        "  argocd:",
        url,
        "    targetRevision: main",
        "    removal: Retire                 # two commits take a model away, so one mistake cannot",
        "  placement:",
        "    recorded: Required              # what runs where is decided in placements/, never while Argo CD syncs",
        "    accounting: Guaranteed          # every pod starts, whatever order the cluster's scheduler picks",
    )
    return [File("fleet/fleet.yaml", text, ("modelfleet new class --list",)), File("README.md", _README.format(name=name))]


@dataclass(frozen=True, slots=True)
class ClassFlags:
    """A hardware class: of the catalog, or of what the flags say. plugin: its devices come from a device plugin."""

    name: str
    hardware: Hardware
    count: int
    plugin: bool = False
    shape: Shape | None = None


def hardware_class(flags: ClassFlags) -> File:
    """The class of one node, with the sources of its figures."""
    hardware, shape = flags.hardware, flags.shape
    what = f"{shape.provider} {shape.name}, " if shape else ""
    claim = [
        "    claim: ExtendedResource         # a device plugin hands them out: pods get a limit, no ResourceClaim",
        f"    resourceName: {'amd.com/gpu' if 'amd' in hardware.driver else 'nvidia.com/gpu'}",
        f"    driver: {q(hardware.driver)}          # names are the DRA driver's, so the same selectors match",
    ]
    dra = [f"    driver: {q(hardware.driver)}", f"    deviceClassName: {q(hardware.driver)}"]
    text = lines(
        head("InferenceClass", flags.name),
        f"  description: {q(f'{what}{flags.count} x {hardware.product}')}",
        "  devices:",
        "  - name: gpu",
        claim if flags.plugin else dra,
        f"    count: {flags.count}",
        "    attributes:                     # compare with `kubectl get resourceslices -o yaml` on such a node",
        _attributes(hardware),
        "    capacity:",
        f"      memory: {{value: {q(hardware.memory)}}}    # as the driver reports it{_sold(hardware)}",
        _machine(shape),
        _taints(shape),
    )
    return File(f"fleet/classes/{flags.name}.yaml", text, (f"modelfleet new cluster NAME --pool {flags.name}={flags.name}:1",))


def _attributes(hardware: Hardware) -> list[str]:
    found = {"type": hardware.type, "productName": hardware.product, "brand": hardware.brand, "architecture": hardware.architecture}
    shown = [f"      {name}: {{string: {q(value)}}}" for name, value in found.items() if value]
    return shown + ([f"      cudaComputeCapability: {{version: {hardware.capability}}}"] if hardware.capability else [])


def _sold(hardware: Hardware) -> str:
    return f", sold as {hardware.sold} ({hardware.reported})" if hardware.sold else ""


def _machine(shape: Shape | None) -> list[str]:
    """What is left for pods, and the price."""
    if shape is None or not shape.cpu:
        return ["  # resources: {cpu: ..., memory: ...} of a node, counted when engines request them", "  # cost: {perNodeHour: ...}"]
    memory = int(Quantity.parse(shape.memory).nano // 10**9 * _KEPT) // 1024**3
    found = [f'  resources: {{cpu: "{int(shape.cpu * _KEPT)}", memory: {memory}Gi}}    # of {shape.cpu} cores and {shape.memory}']
    if shape.price:
        return [*found, f'  cost: {{perNodeHour: "{shape.price}"}}    # list price in USD, {shape.seen}; use your contract\'s']
    return [*found, "  # No cost: no list price is at hand, and an unknown price is better than a wrong one."]


def _taints(shape: Shape | None) -> list[str]:
    if shape is None or shape.provider != "gcp":
        return []
    return ["  nodeTaints:    # GKE puts it on every GPU node", "  - {key: nvidia.com/gpu, value: present, effect: NoSchedule}"]


@dataclass(frozen=True, slots=True)
class ClusterFlags:
    """A cluster. pools: name -> (class, nodes)."""

    name: str
    pools: Mapping[str, tuple[str, int]]
    labels: Mapping[str, str]
    location: Mapping[str, str]
    kubernetes: str = ""
    gateway: str = ""
    destination: str = ""


def cluster(flags: ClusterFlags) -> File:
    """A cluster that is there and that Argo CD knows."""
    labels = {"labels": flow({key: q(value) for key, value in flags.labels.items()})} if flags.labels else {}
    known = flags.destination or flags.name
    gateway = f"  gateway: {{hostname: {q(flags.gateway)}, port: 443, tls: {{wellKnown: System}}}}   # where the fleet's fronts reach it"
    text = lines(
        head("InferenceCluster", flags.name, **labels),
        f"  destination: {{name: {q(known)}}}    # what Argo CD calls it",
        f"  location: {flow({key: q(value) for key, value in flags.location.items() if value})}" if any(flags.location.values()) else "",
        f'  kubernetesVersion: "{flags.kubernetes}"        # devices are claimed by DRA from 1.34 on' if flags.kubernetes else "",
        gateway if flags.gateway else "  # gateway: {hostname: ...}  # without one its models are left out of the fleet's routes",
        "  nodePools:                        # nodeSelector: the label that the nodes carry; without it modelfleet.io/pool: <name>",
        [f"  - {{name: {q(name)}, className: {q(of)}, nodeCount: {nodes}}}" for name, (of, nodes) in flags.pools.items()],
    )
    return File(f"fleet/clusters/{flags.name}.yaml", text, ("modelfleet new deployment MODEL --namespace NAMESPACE", "modelfleet place"))


def gateway(name: str, cluster_name: str, hostname: str, certificate: str, keys: Sequence[str]) -> File:
    """A front door. keys: Secrets in the system namespace that hold the callers' API keys."""
    refs = ", ".join(f"{{name: {q(secret)}}}" for secret in keys)
    text = lines(
        head("InferenceGateway", name),
        f"  clusterName: {q(cluster_name)}",
        f"  hostname: {q(hostname)}" if hostname else "",
        f"  tls: {{certificateRefs: [{{name: {q(certificate)}}}]}}    # a Secret of type kubernetes.io/tls" if certificate else "",
        "  routing: [Path]                   # /<namespace>/<service>/v1/...",
        f"  auth: {{apiKey: {{secretRefs: [{refs}]}}}}    # each key of a Secret names a caller, its value is the caller's API key"
        if keys
        else "  # auth: {apiKey: {secretRefs: [{name: ...}]}}  # without it anyone who reaches it may call",
    )
    return File(f"fleet/gateways/{name}.yaml", text, ("modelfleet new service NAME --namespace NAMESPACE --deployment DEPLOYMENT",))


def team(name: str, namespaces: Sequence[str], groups: Sequence[str], classes: Sequence[str], devices: int | None) -> File:
    """A team. devices: most devices of `classes`."""
    quota = f"  quota: [{{name: devices, classes: {texts(classes)}, devices: {devices}}}]    # most that its replicas may hold"
    text = lines(
        head("Team", name),
        f"  namespaces: {texts(namespaces)}",
        f"  groups: {texts(groups)}    # of the identity provider: they may see and sync the team's Applications" if groups else "",
        f"  classes: {texts(classes)}    # hardware that it may use" if classes else "  # classes: [...]  # all hardware without it",
        quota if classes and devices is not None else "  # quota, budget: what its replicas may hold and cost",
    )
    return File(f"fleet/teams/{name}.yaml", text)


def add_on(name: str, source: Mapping[str, str], namespace: str, clusters: Mapping[str, str]) -> File:
    """source: the fields of `chart` or `git`."""
    kind = "chart" if "version" in source else "git"
    selector = flow({key: q(value) for key, value in clusters.items()})
    text = lines(
        head("AddOn", name),
        f"  clusterSelector: {{matchLabels: {selector}}}" if clusters else "  # clusterSelector: {...}  # all clusters without it",
        f"  {kind}: {flow({key: q(value) for key, value in source.items()})}",
        f"  namespace: {q(namespace)}" if namespace else "",
        '  # values: {host: "{{ cluster.name }}.example.com"}  # what each cluster gets' if kind == "chart" else "",
    )
    return File(f"fleet/add-ons/{name}.yaml", text)
