"""Fields and indices: of maps, lists and optional values, with or without `?`, and presence tests."""

from __future__ import annotations

from ..api.semver import Semver
from .errors import EvalError
from .numbers import double_text
from .values import NONE, Kind, Map, Optional, Uint, Value, missing, name_of


def _text(key: Value) -> str:
    return "true" if key is True else "false" if key is False else str(key)


def valid_key(key: Value) -> None:
    """EvalError for what can stand in no brackets, whatever stands before them."""
    if not isinstance(key, str | int | float):
        raise EvalError(f"invalid qualifier type: {_GO_NAMES.get(type(key), name_of(key))}")


_GO_NAMES: dict[type, str] = {
    list: "*types.baseList",
    Map: "*types.baseMap",
    bytes: "types.Bytes",
    type(None): "types.Null",
    Kind: "*types.Type",
    Optional: "*types.Optional",
    Semver: "cel.Semver",
}


def qualify(container: Value, key: Value) -> Value:
    """The value at `key`, or `missing`; EvalError for an index that is no whole number."""
    valid_key(key)
    if isinstance(container, Map):
        return container.find(key)
    if isinstance(container, list):
        index = _index(key)
        return container[index] if 0 <= index < len(container) else missing
    return missing


def _index(key: Value) -> int:
    if isinstance(key, int | Uint) and not isinstance(key, bool):
        return int(key)
    if isinstance(key, float) and key.is_integer():
        return int(key)
    what = f"value {double_text(key)}" if isinstance(key, float) else f"type '{name_of(key)}'"
    raise EvalError(f"unsupported index {what} in list")


def get(container: Value, key: Value) -> Value:
    """`container[key]`: optional when the container is; EvalError when nothing is there."""
    if isinstance(container, Optional):
        return get_optional(container, key)
    found = qualify(container, key)
    if found is missing:
        what = "index out of bounds" if isinstance(container, list) else "no such key"
        raise EvalError(f"{what}: {_text(key)}")
    return found


def get_optional(container: Value, key: Value) -> Optional:
    """`container[?key]`."""
    if isinstance(container, Optional):
        if container is NONE:
            return NONE
        container = container.value
    found = qualify(container, key)
    return NONE if found is missing else Optional(found)


def has(container: Value, field: str) -> bool:
    """`has(container.field)`."""
    if isinstance(container, Optional):
        if container is NONE:
            return False
        container = container.value
    return qualify(container, field) is not missing
