"""The forms of texts in a pod, as the API server checks them. Source: apimachinery's validation, and the grammar of image references."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import codes
from ..diagnostics import Code


@dataclass(frozen=True, slots=True)
class Form:
    """What a text looks like: a pattern for all of it, the most characters, and both in words."""

    pattern: re.Pattern[str]
    limit: int
    what: str
    hint: str
    code: Code = codes.BAD_NAME

    def holds(self, text: str) -> bool:
        return len(text) <= self.limit and self.pattern.fullmatch(text) is not None


def _form(pattern: str, limit: int, what: str, hint: str, code: Code = codes.BAD_NAME) -> Form:
    return Form(re.compile(pattern, re.ASCII | re.DOTALL), limit, what, hint, code)


_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DOMAIN = rf"{_PART}(\.{_PART})*"
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_HOST = r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?"
_REPOSITORY = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_STEP = r"(?!\.\.(/|$))[^/]*"  # of a path: anything but the folder above
LABEL = _form(_LABEL, 63, "is not a DNS label: lower-case letters, digits and `-`", "my-name")
SUBDOMAIN = _form(_DOMAIN, 253, "is not a DNS name: lower-case letters, digits, `-` and `.`", "my-name")
LABEL_KEY = _form(rf"({_DOMAIN}/)?{_NAME}", 317, "is not a key of labels and annotations", "example.com/key")
LABEL_VALUE = _form(rf"({_NAME})?", 63, "is not a label value: letters, digits, `-`, `_` and `.`", "us-east4")
PORT_NAME = _form(
    r"(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?", 15, "is not a port's name: at most 15 lower-case letters, digits and `-`", "http"
)
VARIABLE = _form(r"[-._A-Za-z][-._A-Za-z0-9]*", 253, "is not the name of a variable: letters, digits, `_`, `-` and `.`", "HF_HOME")
KEY = _form(r"(?!\.\.)(?!\.$)[-._A-Za-z0-9]+", 253, "is not a key: letters, digits, `-`, `_` and `.`", "key.json")
IMAGE = _form(
    rf"({_HOST}(\.{_HOST})*(:[0-9]+)?/)?{_REPOSITORY}(/{_REPOSITORY})*(:[A-Za-z0-9_][-A-Za-z0-9_.]{{0,127}})?(@[A-Za-z0-9_+.-]+:[0-9a-fA-F]{{32,}})?",
    1024, "is not the reference of an image", "registry.example.com/vllm:v0.33.0", codes.BAD_VALUE,
)  # fmt: skip
BELOW = _form(
    rf"(?!/)(?=.){_STEP}(/{_STEP})*",
    4096,
    "is not a path below its folder: no `/` before it and no `..` in it",
    "models/qwen",
    codes.BAD_VALUE,
)
INSIDE = _form(rf"(?=.){_STEP}(/{_STEP})*", 4096, "is not a path without `..`", "/dev/xvda", codes.BAD_VALUE)
ABSOLUTE = _form(r"/.*", 4096, "is not a path: it begins with `/`", "/export/models", codes.BAD_VALUE)
MOUNT = _form(r"[^:]+", 4096, "is not a path without `:`", "/data", codes.BAD_VALUE)
ANY = _form(r".*", 1 << 20, "", "")
DRIVER = _form(_DOMAIN, 63, "is not the name of a CSI driver: a DNS name of at most 63 characters", "filestore.csi.storage.gke.io")
CLASS = _form(rf"({_DOMAIN})?", 253, "is not the name of a storage class", "fast")
SOME = _form(r".+", 1 << 20, "is empty", "write a value", codes.BAD_VALUE)
IP = _form(r"[0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*", 45, "is not an IP address", "192.0.2.10", codes.BAD_VALUE)
HEADER = _form(r"[-A-Za-z0-9]+", 256, "is not the name of a header: letters, digits and `-`", "X-Probe")
SYSCTL = _form(r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", 253, "is not a sysctl", "net.core.somaxconn")
RESOURCE = _form(
    r"(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)",
    317,
    "is not a resource of a container",
    "limits.memory",
    codes.BAD_VALUE,
)
