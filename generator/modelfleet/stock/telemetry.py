"""What the OpenTelemetry collector of a cluster reads, and how it calls it: one name for one thing, whatever engine exports it.

The names are those of Modelplane's telemetry with our prefix. The collector takes the series from the cluster's Prometheus, which has
them with the labels of the pods already, and passes them on to whatever `exporters` the fleet names in the component's `values`.
"""

from __future__ import annotations

from typing import Any

# (name without a histogram's ending, what it is called); both in seconds, tokens, bytes, joules or shares of 1.
MAPPING: tuple[tuple[str, str], ...] = (
    ("vllm:time_to_first_token_seconds", "modelfleet_frontend_ttft_seconds"),
    ("vllm:inter_token_latency_seconds", "modelfleet_frontend_tpot_seconds"),
    ("vllm:e2e_request_latency_seconds", "modelfleet_frontend_request_duration_seconds"),
    ("vllm:request_queue_time_seconds", "modelfleet_request_queue_seconds"),
    ("vllm:num_requests_waiting", "modelfleet_requests_waiting"),
    ("vllm:num_requests_running", "modelfleet_requests_running"),
    ("vllm:kv_cache_usage_perc", "modelfleet_kv_cache_utilization_ratio"),
    ("vllm:request_prompt_tokens", "modelfleet_request_input_tokens"),
    ("vllm:request_generation_tokens", "modelfleet_request_output_tokens"),
    ("vllm:num_preemptions_total", "modelfleet_requests_preempted_total"),
    ("sglang:time_to_first_token_seconds", "modelfleet_frontend_ttft_seconds"),
    ("sglang:inter_token_latency_seconds", "modelfleet_frontend_tpot_seconds"),
    ("sglang:e2e_request_latency_seconds", "modelfleet_frontend_request_duration_seconds"),
    ("sglang:num_queue_reqs", "modelfleet_requests_waiting"),
    ("sglang:num_running_reqs", "modelfleet_requests_running"),
    ("sglang:token_usage", "modelfleet_kv_cache_utilization_ratio"),
    ("DCGM_FI_DEV_GPU_UTIL", "modelfleet_gpu_utilization_percent"),
)
_ENDINGS = "(|_bucket|_sum|_count)"


def relabelings() -> list[dict[str, Any]]:
    """The mapping as Prometheus reads it: the name of a series is a label like any other."""
    return [
        {"source_labels": ["__name__"], "regex": f"{there}{_ENDINGS}", "target_label": "__name__", "replacement": f"{here}${{1}}"}
        for there, here in MAPPING
    ]


def configuration(cluster: str, prometheus_url: str) -> dict[str, Any]:
    """The collector's configuration. Without an exporter of the fleet's own it says how much it read, and nothing leaves the cluster."""
    scheme, _, rest = prometheus_url.partition("://")
    address, _, prefix = rest.partition("/")
    job = {
        "job_name": "federate",
        "honor_labels": True,
        "scrape_interval": "30s",
        "scheme": scheme,
        "metrics_path": f"/{prefix.rstrip('/')}/federate".replace("//", "/"),
        "params": {"match[]": ['{__name__=~"vllm:.+|sglang:.+|modelfleet:.+|DCGM_FI_.+"}']},
        "static_configs": [{"targets": [address], "labels": {"cluster": cluster}}],
        "metric_relabel_configs": relabelings(),
    }
    pipeline = {"receivers": ["prometheus"], "processors": ["memory_limiter", "batch"], "exporters": ["debug"]}
    return {
        "exporters": {"debug": {"verbosity": "basic"}},
        "receivers": {"prometheus": {"config": {"scrape_configs": [_escaped(job)]}}},
        "service": {"pipelines": {"logs": None, "metrics": pipeline, "traces": None}},
    }


def _escaped(value: Any) -> Any:
    """The collector reads `$` as the beginning of a variable; doubled it is itself."""
    if isinstance(value, str):
        return value.replace("$", "$$")
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    return [_escaped(item) for item in value] if isinstance(value, list) else value
