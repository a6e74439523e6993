"""Every object name, label and annotation has its owner here.

Names are stable: they derive from names that users chose, never from a position, a revision or a count. A derived name
is cut and hashed before the strictest limit of the place where it is used.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

GROUP = "modelfleet.io"
SYSTEM_NAMESPACE = "modelfleet-system"

LABEL_DEPLOYMENT = f"{GROUP}/deployment"
LABEL_ENGINE = f"{GROUP}/engine"
LABEL_ROLE = f"{GROUP}/role"
LABEL_POOL = f"{GROUP}/pool"
LABEL_CLUSTER = f"{GROUP}/cluster"
LABEL_PROVIDER = f"{GROUP}/provider"
LABEL_REGION = "topology.kubernetes.io/region"
LABEL_ZONE = "topology.kubernetes.io/zone"
LABEL_UNIT = f"{GROUP}/unit"
LABEL_WORKLOAD = f"{GROUP}/workload"
LABEL_NAMESPACE = f"{GROUP}/namespace"
LABEL_SERVING = f"{GROUP}/serving"  # "true" on the pods that answer callers
LABEL_CACHE = f"{GROUP}/cache"
LABEL_TEAM = f"{GROUP}/team"
LABEL_WAVE = f"{GROUP}/wave"
LABEL_ENVIRONMENT = f"{GROUP}/environment"  # a cluster's, in its declaration: which versions and sizes it gets
LABEL_COMPONENT = f"{GROUP}/component"
LABEL_POD_SECURITY = "pod-security.kubernetes.io/enforce"
LABEL_PHASE = "llm-d.ai/role"  # by which the picker tells prefill from decode
LABEL_GATEWAY = "gateway.envoyproxy.io/owning-gateway-name"  # on the proxies of a Gateway
LABEL_GATEWAY_NAMESPACE = "gateway.envoyproxy.io/owning-gateway-namespace"
LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
LABEL_HOSTNAME = "kubernetes.io/hostname"
LABEL_NAMESPACE_NAME = "kubernetes.io/metadata.name"
MANAGED_BY = "modelfleet"

ANNOTATION_REMOVE = f"{GROUP}/remove"
APPROVED = "approved"  # its one value
ANNOTATION_PLACEMENT = f"{GROUP}/placement"
ANNOTATION_SHORTFALL = f"{GROUP}/shortfall"
ANNOTATION_FOLDER = f"{GROUP}/folder"
ANNOTATION_CONFIG = f"{GROUP}/config"  # digest of a file that a pod reads once, at its start

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
COMPARE_OPTIONS = "argocd.argoproj.io/compare-options"
MANIFEST_PATHS = "argocd.argoproj.io/manifest-generate-paths"
SYNC_WAVE = "argocd.argoproj.io/sync-wave"
DELETION_APPROVED = "argocd.argoproj.io/deletion-approved"
CASCADE_FINALIZER = "resources-finalizer.argocd.argoproj.io"
PAUSED_REPLICAS = "autoscaling.keda.sh/paused-replicas"

GATEWAY = "modelfleet"  # the Gateway of a workload cluster, in the system namespace
UNAVAILABLE = "modelfleet-unavailable"  # catch-all route and the filter that answers 503
TOKEN_POLICY = "modelfleet-token"  # noqa: S105  a SecurityPolicy's name
TOKEN_HEADER = "x-modelfleet-token"  # noqa: S105  a header's name
CLIENT_HEADER = "x-modelfleet-client"  # who calls, by the name of the API key
FRONT = "modelfleet-front"  # the Gateway of a front door, in the system namespace
EGRESS = "modelfleet-egress"  # the Gateway between a front door and providers
CALLERS = "modelfleet-callers"  # the Secret of API keys where a declaration names none
NOT_FOUND = "modelfleet-not-found"  # a front door's route of last resort and the filter that answers 404
HOST_FILTER = "modelfleet-host"  # the filter that gives each backend its own host name
TOKEN_FILTER = "modelfleet-token"  # noqa: S105  the filter that adds the fleet's token
PROVIDERS = "providers"  # the domain of providers below the fleet's
PROJECT_PLATFORM = "modelfleet-platform"
PROJECT_MODELS = "modelfleet-models"  # of namespaces without a team
PROJECT_STACK = "modelfleet-stack"
TEAM = "modelfleet-team"  # what a team has in each of its namespaces: Role, RoleBinding, ResourceQuota
INGRESS_POLICY = "modelfleet-ingress"
EGRESS_POLICY = "modelfleet-egress"
PICKER_EGRESS_POLICY = "modelfleet-picker-egress"

PICKER = "Picker"  # the role of an endpoint picker's pod
RESERVED = "modelfleet-"  # begins the name of all that modelfleet adds to a pod of the user's
ENGINE_CONTAINER = "engine"
CLAIM = "devices"  # the claim in a pod
PORT = "http"  # the serving port of an engine's container
OTHER_PORT = "modelfleet-http"  # where another port has that name; 15 characters is the limit of a port's name
SHARED_MEMORY = "modelfleet-shm"  # the volume at /dev/shm
CACHE_VOLUME = "modelfleet-cache"  # the volume with the model's files
WAIT_CONTAINER = "modelfleet-wait"  # the init container that waits for the model's files
ROUTING_SIDECAR = "modelfleet-routing"  # the sidecar before a decode engine
ENGINE_PORT = "engine"  # the port of an engine behind the sidecar
SERVICE_PORT = 8000  # the port of every deployment's Service, whatever its engines listen on
CLUSTER_DOMAIN = "svc.cluster.local"  # of Services, as every cluster has it unless it was set up otherwise

SERVICE_LIMIT = 63  # Service names, pod names and label values: DNS label
SCALED_OBJECT_LIMIT = 54  # KEDA names its HPA keda-hpa-<name>, at most 63
GANG_LIMIT = 46  # workers' StatefulSets are named <gang>-<group>, and a label adds a hash of 11 characters: at most 63 in all
OBJECT_LIMIT = 253  # DNS subdomain
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_HASHED = re.compile(r"-[0-9a-f]{8}$")


def is_label(text: str) -> bool:
    """Whether `text` is a DNS label: what every namespace and deployment is named."""
    return _LABEL.fullmatch(text) is not None


def may_be_namespace(text: str) -> bool:
    """Whether models can live in a namespace of that name."""
    return is_label(text) and text != SYSTEM_NAMESPACE and not text.startswith("kube-")


def digest(*parts: str, length: int = 8) -> str:
    """Hex digest of the parts; no two lists of parts read the same."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:length]


def fit(text: str, limit: int, *identity: str) -> str:
    """`text` if it fits `limit`, else cut with a hash of `identity` (which names the object fully) at its end.

    What ends like a hash gets one too: then a name that ends so holds one, and equals no name that does not.
    """
    if len(text) <= limit and not _HASHED.search(text):
        return text
    return f"{text[: limit - 9].rstrip('-.')}-{digest(*identity)}"


def workload(namespace: str, deployment: str, engine: str, pool: str, alternative: str = "") -> str:
    """Name of the workload of (namespace, deployment, engine, pool choice): within a ScaledObject's limit."""
    identity = (namespace, deployment, engine, pool, alternative)
    return f"{f'{deployment}-{engine}'[: SCALED_OBJECT_LIMIT - 9].rstrip('-.')}-{digest(*identity)}"


def gang(namespace: str, deployment: str, engine: str, pool: str, alternative: str = "") -> str:
    """The same of an engine of several pods. Its controller makes a Service of that name: it begins with a letter and is no other's."""
    identity = (namespace, deployment, engine, pool, alternative)
    return f"{f'gang-{deployment}-{engine}'[: GANG_LIMIT - 9].rstrip('-.')}-{digest(*identity)}"


def service(namespace: str, deployment: str) -> str:
    """Service (and pool, route) of a deployment on a cluster."""
    return fit(f"model-{deployment}", SERVICE_LIMIT, namespace, deployment, "service")


def claim_template(workload_name: str, spec_text: str) -> str:
    """ResourceClaimTemplate of a workload: its spec is immutable, so a hash of it is in the name."""
    return f"{workload_name}-{digest(spec_text)}"


def picker(namespace: str, deployment: str) -> str:
    """Endpoint picker of a deployment on a cluster, and everything that it needs."""
    return fit(f"picker-{deployment}", SERVICE_LIMIT, namespace, deployment, "picker")


def cache_claim(cache: str, content: str) -> str:
    """PersistentVolumeClaim of a cache. Another content is another claim, so that what runs keeps its files."""
    return f"{f'cache-{cache}'[:45].rstrip('-.')}-{digest(cache, content)}"


def staging_job(claim: str, spec_text: str) -> str:
    """Job that fills a claim: its spec is immutable, so a hash of it is in the name."""
    return f"{claim}-{digest(spec_text)}"


def config_map(name: str, deployment: str, content: str) -> str:
    """Copy of a ConfigMap for one deployment: another content is another object, and two deployments never print the same one."""
    return f"{name[: OBJECT_LIMIT - 9].rstrip('-.')}-{digest(name, deployment, content)}"


def host_label(namespace: str, deployment: str) -> str:
    """First label of the host name by which gateways route to a deployment."""
    return f"{deployment[:54].rstrip('-')}-{digest(namespace, deployment)}"


def host(namespace: str, deployment: str, cluster: str, domain: str) -> str:
    """Host name of a deployment on a cluster, one label below the cluster's domain."""
    return f"{host_label(namespace, deployment)}.{cluster}.{domain}"


def provider_host(namespace: str, endpoint: str, domain: str) -> str:
    """Host name by which a front door's egress routes to a provider."""
    return f"{endpoint.replace('.', '-')[:54].rstrip('-')}-{digest(namespace, endpoint)}.{PROVIDERS}.{domain}"


def front_route(service: str) -> str:
    """Route of a service on a front door's cluster, and its policy; no deployment's route has this prefix."""
    return f"service-{service}"


def model_route(service: str) -> str:
    """Route of a service by model name, its policies, and the HTTPRoute that the AI gateway makes of it."""
    return f"by-model-{service}"


def backend(namespace: str, service: str, target: str, cluster: str) -> str:
    """Backend of a service's share. Its tier is not in the name: a share that moves to another tier keeps its object."""
    text = f"{service}-{target}-{cluster}".rstrip("-")
    return f"{text[: SERVICE_LIMIT - 9].rstrip('-.')}-{digest(namespace, service, target, cluster)}"


def provider(endpoint: str) -> str:
    """Backend, route and filter of a provider on a front door's cluster."""
    return fit(f"provider-{endpoint}", OBJECT_LIMIT, endpoint, "provider")


def cluster_address(cluster: str) -> str:
    """Service on a front door's cluster that stands for a gateway which has an address and no name."""
    return fit(f"cluster-{cluster}", SERVICE_LIMIT, cluster, "address")


def report(unit: str) -> str:
    """ConfigMap that every unit prints, named after the unit."""
    return fit("modelfleet-report-" + unit.replace("/", "-"), SERVICE_LIMIT, unit)


def application(cluster: str, unit: str) -> str:
    """Argo CD Application of a unit. The hash tells `a/b-c` from `a-b/c`, which flatten to the same text."""
    if "/" not in unit:
        return fit(f"{cluster}-{unit}", SERVICE_LIMIT, cluster, unit)
    text = f"{cluster}-{unit.replace('/', '-')}"
    return f"{text[: SERVICE_LIMIT - 9].rstrip('-.')}-{digest(cluster, unit)}"


def team_project(team: str) -> str:
    """AppProject of a team."""
    return fit(f"{TEAM}-{team}", SERVICE_LIMIT, team, "project")


def dashboard(name: str) -> str:
    """ConfigMap of a dashboard."""
    return f"modelfleet-dashboard-{name}"


def stack_set(cluster: str) -> str:
    """ApplicationSet of a cluster's components; no cluster's name ends like it."""
    return f"{cluster}-stack"


def manifest_paths(unit_kind: str, namespace: str, recorded: bool) -> str:
    """The inputs of a unit, from the root of the repository, as Argo CD reads them; not `recorded`: everything."""
    if not recorded:
        return "/fleet;/models;/placements"
    return "/fleet" if unit_kind == "base" else f"/fleet;/models/{namespace};/placements/{namespace}"


RENDERED = "rendered"  # folder of the tree that Applications read with `delivery: Rendered`


def rendered(cluster: str, unit: str) -> str:
    """Folder of a unit in that tree."""
    return f"{RENDERED}/{cluster}/{unit}"


def folder(namespace: str) -> str:
    """Folder of a namespace's declarations; of the platform's for none."""
    return f"models/{namespace}" if namespace else "fleet"


def common_labels(namespace: str, deployment: str, cluster: str) -> dict[str, str]:
    """Labels of every object of a deployment on a cluster."""
    return {
        "app.kubernetes.io/managed-by": "modelfleet",
        "app.kubernetes.io/name": deployment,
        "app.kubernetes.io/part-of": namespace,
        LABEL_CLUSTER: cluster,
        LABEL_DEPLOYMENT: deployment,
    }


def pool_selector(pool: str) -> Mapping[str, str]:
    """Label that a pool's nodes carry when its declaration names none."""
    return {LABEL_POOL: pool}
