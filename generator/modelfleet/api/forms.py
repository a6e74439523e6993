"""What the patterns of these models ask for, in words: pattern -> (what is wrong with the text, an example)."""

from __future__ import annotations

FORMS: dict[str, tuple[str, str]] = {
    r"^\S+$": ("holds spaces", "write it without spaces"),
    r"^[^\s]+$": ("holds spaces", "write it without spaces"),
    r"^[^\s=]+$": ("is not the name of a variable", "HF_HOME"),
    r"^/\S*$": ("is not a path: it begins with / and holds no spaces", "/health"),
    r"^/[^\s?#]*$": ("is not a path: it begins with / and holds no spaces, ? or #", "/v1"),
    r"^[^/\s]\S*$": ("is not a folder below the root: it does not begin with /", "deploy/base"),
    r"^[^/\s].*$": ("is not a folder below the root: it does not begin with /", "models/qwen3-8b"),
    r"^https?://[^\s@]+$": ("is not a URL without user and password", "http://prometheus.monitoring.svc:9090"),
    r"^https://[^\s/]+(/\S*)?$": ("is not the https URL of an API server", "https://kubernetes.default.svc"),
    r"^[A-Z]{3}$": ("is not a currency of three capital letters", "USD"),
    r"^cr-[0-9a-f]+$": ("is not a capacity reservation", "cr-0a1b2c3d"),
    r"^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)$": ("is not an IP address; a name goes into hostname", "192.0.2.10"),
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$": ("is not a time in UTC", '"2026-05-04T12:00:00Z"'),
    r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z_][A-Za-z0-9_]*$": ("is not an attribute with its domain", "resource.kubernetes.io/pcieRoot"),
    r"^([^/]+/)?[A-Za-z_][A-Za-z0-9_]*$": ("is not the name of an attribute: letters, digits and `_`", "productName"),
    r"^[a-z0-9.-]+/[A-Za-z0-9._-]+$": ("is not an extended resource", "nvidia.com/gpu"),
    r"^[a-z0-9][-a-z0-9._]*[a-z0-9]$": ("is not the name of a bucket: lower-case letters, digits, `-`, `_` and `.`", "acme-models"),
    r"^[0-9]{1,9}(\.[0-9]{1,6})?$": ("is not a decimal number", '"0.8"'),
    r"^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}$": ("is not a time zone", "Europe/Berlin"),
    r"^v?1\.[0-9]{1,3}(\.[0-9]+)?([-+].*)?$": ("is not a version of Kubernetes", '"1.36"'),
    r"^[0-9A-Fa-f.:]+/[0-9]{1,3}$": ("is not a network with the length of its prefix", "10.0.0.0/8"),
    r"^[-._A-Za-z0-9]+$": ("is not a key: letters, digits, `-`, `_` and `.`", "HF_TOKEN"),
    r"^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$": ("is not the name of a resource", "requests.cpu"),
    r"^\s*(>=|<=|==|!=|>|<)\s*[0-9]+(\.[0-9]+){0,2}(\s*,\s*(>=|<=|==|!=|>|<)\s*[0-9]+(\.[0-9]+){0,2})*\s*$": (
        "is not a range of versions", '">=0.1,<1"',
    ),
}  # fmt: skip
