"""What would start and disappoint."""

from __future__ import annotations

from .define import error, notice, warning

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
POD_SECURITY = error(
    "PodSecurity",
    "A pod asks for what the Pod Security level of its team's namespaces refuses.",
    "The API server would refuse every pod of it: the Deployment would be there, and nothing would run.",
    "Take it out of the pod template, or raise the team's podSecurity (Privileged for RDMA's IPC_LOCK and host networks).",
    "securityContext: {capabilities: {add: [IPC_LOCK]}}  # the team says podSecurity: Baseline",
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
MODEL_DOES_NOT_FIT = warning(
    "ModelDoesNotFit",
    "A model takes more memory than the devices have that its engine was matched with.",
    "The engine runs out of memory while it loads, or refuses to start because one request of the longest context finds no room.",
    "Claim more devices, shorten --max-model-len, or correct serving.size if it is wrong.",
    "args: [--model=Qwen/Qwen3-32B]  # 61Gi of weights, and one device of 80 GB with 40960 tokens",
)
TENSOR_SPLIT = warning(
    "TensorSplit",
    "The attention heads of a model cannot be split over the tensor-parallel size.",
    "The engine refuses to start.",
    "Take a size that divides the heads, mostly 1, 2, 4 or 8.",
    "args: [--model=Qwen/Qwen3-14B, --tensor-parallel-size=3]  # 40 heads",
)
CONTEXT_TOO_LONG = warning(
    "ContextTooLong",
    "An engine is told a longer context than the model has.",
    "The engine refuses to start, unless it is told how to stretch the positions.",
    "Shorten --max-model-len, or pass --hf-overrides with the model's rope scaling.",
    "args: [--model=Qwen/Qwen3-8B, --max-model-len=131072]  # its own are 40960",
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
