"""The alerts: what each means, and what to do. `rules` says when they fire; `modelfleet runbook` prints them for a deployment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert. summary: one line, as people are called by it. meaning: what callers notice. steps: what to look at, in order."""

    name: str
    severity: str
    summary: str
    meaning: str
    steps: tuple[str, ...]

    @property
    def runbook(self) -> str:
        """Meaning and steps as one text."""
        return "\n".join([self.meaning, *(f"{nth}. {step}" for nth, step in enumerate(self.steps, 1))])


REPLICAS_SHORT = Alert(
    "ModelReplicasShort",
    "warning",
    "fewer replicas are ready than are wanted",
    "Fewer requests are served at a time than was planned; callers wait longer.",
    (
        "kubectl get pods: those that are not Ready, and why (describe: events; logs of container engine).",
        "Pending: see ModelClaimUnallocatable. Restarting: the end of the log before; out of memory needs a smaller batch or context.",
        "Loading for longer than serving.startupTimeout: raise it, or stage the files with a ModelCache.",
    ),
)
CLAIM_UNALLOCATABLE = Alert(
    "ModelClaimUnallocatable",
    "warning",
    "pods have no node: their devices cannot be allocated",
    "A replica that is recorded here does not start; what runs goes on.",
    (
        "kubectl describe pod: what the scheduler says; kubectl get resourceslices: what the driver publishes.",
        "modelfleet capacity: whether the pool is over-committed or has unavailable devices that nobody declared.",
        "Declare broken devices (nodePools[].unavailable) and run modelfleet place: the replica gets another place.",
    ),
)
KV_CACHE_FULL = Alert(
    "ModelKVCacheFull",
    "warning",
    "the KV cache is full",
    "Requests queue or are preempted and computed again: answers get slower for everyone.",
    (
        "Requests waiting and the length of prompts, on the model's dashboard.",
        "More replicas (replicas, or scaling.maxReplicas), or a trigger of type KVCacheUsage.",
        "A smaller --max-model-len or --max-num-seqs, a KV cache of fp8, or larger devices.",
    ),
)
SLOW_FIRST_TOKEN = Alert(
    "ModelSlowFirstToken",
    "warning",
    "the first token comes late",
    "Callers see nothing for longer than was aimed at.",
    (
        "Requests waiting: if there are any, more replicas are needed.",
        "If there are none: long prompts (prefix caching, prefill and decode apart), or a slow node (DCGM's clocks and throttling).",
    ),
)
SCALER_FALLBACK = Alert(
    "ModelScalerFallback",
    "warning",
    "the scaler cannot read its signal",
    "The number of replicas no longer follows the load: the fallback holds.",
    (
        "kubectl describe scaledobject: which trigger fails; logs of keda-operator.",
        "Whether Prometheus answers at the cluster's monitoring.prometheusURL, and whether the engine's series are there.",
    ),
)
NO_ENDPOINT = Alert(
    "ModelNoEndpoint",
    "critical",
    "no replica answers",
    "Callers get another cluster's replicas where a service has them, else 503.",
    (
        "kubectl get pods, events and logs; what was merged last: git log models/ placements/ fleet/.",
        "Roll back: git revert the merge; Argo CD puts the former pods back.",
        "If the cluster is gone: state: Lost in its file, then modelfleet place: the replicas get places elsewhere.",
    ),
)
OVERCOMMITTED = Alert(
    "ModelPoolOvercommitted",
    "warning",
    "more devices are recorded on a pool than it has",
    "The surplus waits; nothing that runs is stopped.",
    (
        "modelfleet capacity and modelfleet check name the pool and who holds it.",
        "modelfleet place --give-up NS/NAME, more nodes, or fewer replicas.",
    ),
)
OVER_BUDGET = Alert(
    "TeamOverBudget",
    "warning",
    "a team spends more than its budget",
    "What runs above the reserved replicas is not charged when it is placed, so scaling can pass the budget.",
    ("The fleet's dashboard: cost by deployment.", "A lower maxReplicas or reservedReplicas, spot pools, or a larger budget in the Team."),
)
ALL = (
    NO_ENDPOINT, REPLICAS_SHORT, CLAIM_UNALLOCATABLE, KV_CACHE_FULL, SLOW_FIRST_TOKEN, SCALER_FALLBACK, OVERCOMMITTED, OVER_BUDGET,
)  # fmt: skip
