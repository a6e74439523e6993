"""Texts that only secrets look like: found wherever a user may write one, and never shown.

By shape, whatever the text is for: tokens of known services, private keys, passwords in URLs. By name, where a value stands beside one.
A reference (`$(API_KEY)`, `${API_KEY}`, `{{ key }}`), a path and a digest are none.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TOKENS = (
    r"hf_[A-Za-z0-9]{20,}", r"sk-(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{20,}", r"A(?:KI|SI)A[A-Z0-9]{16}", r"gh[pousr]_[A-Za-z0-9]{30,}",
    r"github_pat_[A-Za-z0-9_]{30,}", r"glpat-[A-Za-z0-9_.-]{20,}", r"xox[abeoprs]-[A-Za-z0-9-]{20,}", r"AIza[A-Za-z0-9_-]{35}",
    r"nvapi-[A-Za-z0-9_-]{30,}", r"gsk_[A-Za-z0-9]{30,}", r"npm_[A-Za-z0-9]{36}", r"dckr_pat_[A-Za-z0-9_-]{20,}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)?",
)  # fmt: skip
_TOKEN = re.compile(
    rf"(?<![A-Za-z0-9_-])(?:{'|'.join(_TOKENS)})|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)", re.DOTALL
)
# A password, or a user of a name that only tokens have.
_IN_URL = re.compile(r"(?<=://)(?:[^\s/?#@:]*:(?![$*{<])[^\s/?#@]+|(?=[^\s/?#@:]*[0-9])[A-Za-z0-9_-]{20,})(?=@)")
# Every secret by shape holds one of these, which are found much faster.
MARKS = (
    "hf_",
    "sk-",
    "AKIA",
    "ASIA",
    "gh",
    "glpat-",
    "xox",
    "AIza",
    "nvapi-",
    "gsk_",
    "npm_",
    "dckr_",
    "ya29.",
    "eyJ",
    "PRIVATE KEY",
    "://",
)

_NAME = re.compile(
    r"(?:^|[_.-])(?:token|password|passwd|passphrase|secret|secret[_-]?access[_-]?key|access[_-]?key|api[_-]?key|private[_-]?key|credentials?)$"
)
# Keys of mappings also say how a Secret is named: those that do are left out.
_KEY = re.compile(
    r"(?:^|[_.-])(?:(?:auth|access|api|bearer|hf|hub|bot|refresh)[_-]?token|password|passwd|passphrase|secret[_-]?access[_-]?key"
    r"|client[_-]?secret|api[_-]?key|private[_-]?key)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WRITTEN = re.compile(r"[^\s$<{/(\[*%][^\s$]*")
_EMPTY = frozenset(("", "true", "false", "none", "null", "empty", "optional", "required"))
# `--api-key=x`, `--api-key x`; and what a shell sets: `HF_TOKEN=x`.
_FLAG = re.compile(r"(?<![\w-])--?([A-Za-z][A-Za-z0-9_-]*)(?:=|\s+)[\"']?([^\s\"']+)")
_SET = re.compile(r"(?<![\w$-])([A-Z][A-Z0-9_]*)=[\"']?([^\s\"';&|]+)")


def by_shape(text: str) -> bool:
    """Whether a secret stands in `text`."""
    return bool(_TOKEN.search(text) or ("://" in text and _IN_URL.search(text)))


def redacted(text: str) -> str:
    """`text` without the secrets that have a shape of their own."""
    return _IN_URL.sub("***", _TOKEN.sub("***", text))


def by_name(name: str, value: str) -> bool:
    """Whether a variable or flag `name` says that `value` is a secret, and it is written out."""
    return _names(_NAME, name) and _is_value(value)


def by_key(key: str, value: str) -> bool:
    """The same of a key in a mapping."""
    return _names(_KEY, key) and _is_value(value)


def assigned(text: str) -> str:
    """The first flag or variable in a command line that a secret is written out for; empty if there is none."""
    if "=" not in text and "--" not in text:
        return ""
    flags = ((f"--{found[1]}", found[2]) for found in _FLAG.finditer(text) if _flag(found[1], found[2]))
    variables = ((found[1], found[2]) for found in _SET.finditer(text) if by_name(found[1], found[2]))
    return next((name for name, _ in (*flags, *variables)), "")


def _flag(name: str, value: str) -> bool:
    return not value.startswith("-") and (by_key(name, value) or (name in ("token", "secret") and by_name(name, value)))


@lru_cache(maxsize=4096)  # a repository has few different names
def _names(pattern: re.Pattern[str], name: str) -> bool:
    return pattern.search(_CAMEL.sub("_", name).lower()) is not None


def _is_value(value: str) -> bool:
    return _WRITTEN.fullmatch(value) is not None and not value.isdigit() and value.lower() not in _EMPTY and "://" not in value
