"""Static types and their unification, after cel-go's checker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Type:
    """A type by Kubernetes' name; `param` and its variable's name in `params` stand for a type variable."""

    name: str
    params: tuple[Type, ...] = ()
    variable: str = ""

    def __str__(self) -> str:
        if self.variable:
            return self.variable
        return f"{self.name}({', '.join(map(str, self.params))})" if self.params else self.name

    @property
    def is_dyn(self) -> bool:
        """Whether the type shows only at run time."""
        return self.name in ("dyn", "any")

    @property
    def is_open(self) -> bool:
        """Whether anything goes, because the type is dynamic or already known to be wrong."""
        return self.name in ("dyn", "any", "error")


DYN, ANY, ERROR, BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL = (
    Type(n) for n in ("dyn", "any", "error", "bool", "int", "uint", "double", "string", "bytes", "null_type")
)
QUANTITY, SEMVER, DEVICE = (Type("kubernetes." + n) for n in ("Quantity", "Semver", "DRADevice"))
NULLABLE = frozenset({"duration", "timestamp", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.DRADevice", "optional_type"})
_SHORT = {"Quantity": QUANTITY, "Semver": SEMVER, "null": NULL}


def list_of(element: Type) -> Type:
    """list(element)."""
    return Type("list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """map(key, value)."""
    return Type("map", (key, value))


def optional_of(value: Type) -> Type:
    """optional_type(value)."""
    return Type("optional_type", (value,))


def type_of(value: Type) -> Type:
    """The type of a type."""
    return Type("type", (value,))


def variable(name: str) -> Type:
    """A type variable."""
    return Type("param", variable=name)


DEVICE_FIELDS = {
    "driver": STRING,
    "allowMultipleAllocations": BOOL,
    "attributes": map_of(STRING, map_of(STRING, ANY)),
    "capacity": map_of(STRING, map_of(STRING, QUANTITY)),
}


@cache
def read(text: str) -> Type:
    """The type that a signature spells: `list<map<string, A>>`; one capital letter is a variable."""
    name, bracket, rest = text.partition("<")
    if bracket:
        return Type({"optional": "optional_type"}.get(name, name), tuple(read(part) for part in split(rest[:-1])))
    return variable(name) if len(name) == 1 else _SHORT.get(name, Type(name))


def split(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, level, start = [], 0, 0
    for index, char in enumerate(text):
        level += (char == "<") - (char == ">")
        if char == "," and level == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()] if text.strip() else []


class Bindings:
    """What type variables stand for. Mutable: the one state of a check; `attempt` undoes what a failed try bound."""

    def __init__(self) -> None:
        self.bound: dict[str, Type] = {}
        self.fresh = 0

    def new(self) -> Type:
        """A type variable that stands for nothing yet."""
        self.fresh += 1
        return variable(f"_var{self.fresh}")

    def attempt(self, given: list[Type], wanted: list[Type]) -> bool:
        """Whether all of `given` can be used where `wanted` is asked; binds variables only if so."""
        before = dict(self.bound)
        if self._all(given, wanted):
            return True
        self.bound = before
        return False

    def resolve(self, type_: Type, final: bool = False) -> Type:
        """`type_` with bound variables replaced; final: unbound ones become dyn."""
        if type_.variable:
            known = self.bound.get(type_.variable)
            if known is not None:
                return self.resolve(known, final)
            return DYN if final else type_
        if not type_.params:
            return type_
        return Type(type_.name, tuple(self.resolve(p, final) for p in type_.params))

    def instantiate(self, types: list[Type]) -> list[Type]:
        """The same types with fresh variables."""
        names: dict[str, Type] = {}
        return [self._renamed(t, names) for t in types]

    def _renamed(self, type_: Type, names: dict[str, Type]) -> Type:
        if type_.variable:
            return names.setdefault(type_.variable, names.get(type_.variable) or self.new())
        return Type(type_.name, tuple(self._renamed(p, names) for p in type_.params)) if type_.params else type_

    def _all(self, given: list[Type] | tuple[Type, ...], wanted: list[Type] | tuple[Type, ...]) -> bool:
        return len(given) == len(wanted) and all(self._fits(g, w) for g, w in zip(given, wanted, strict=True))

    def _fits(self, given: Type, wanted: Type) -> bool:
        if wanted.variable:
            valid, known = self._substitutes(given, wanted)
            if valid or known:
                return valid
        if given.variable:
            return self._substitutes(wanted, given)[0]
        if given.is_open or wanted.is_open:
            return True
        if NULL in (given, wanted):
            return given == wanted or (wanted if given == NULL else given).name in NULLABLE
        if given.name == "type":
            return wanted.name == "type"
        return given.name == wanted.name and self._all(given.params, wanted.params)

    def _substitutes(self, type_: Type, var: Type) -> tuple[bool, bool]:
        """(whether `var` can stand for `type_`, whether it was bound already)."""
        if type_ == var:
            return True, True
        known = self.bound.get(var.variable)
        if known is None:
            if self._occurs(var, type_):
                return False, False
            self.bound[var.variable] = type_
            return True, False
        if type_ == known:
            return True, True
        if not self._fits(type_, known):
            return False, True
        wider = most_general(type_, known)
        if not self._occurs(var, wider):
            self.bound[var.variable] = wider
        return True, True

    def _occurs(self, var: Type, within: Type) -> bool:
        if var == within:
            return True
        if within.variable:
            known = self.bound.get(within.variable)
            return known is not None and self._occurs(var, known)
        return any(self._occurs(var, p) for p in within.params)


def most_general(left: Type, right: Type) -> Type:
    """The wider of two types that unify."""
    return left if _covers(left, right) else right


def _covers(left: Type, right: Type) -> bool:
    if left.is_dyn or left.variable:
        return True
    if right.is_dyn or right.variable or left.name != right.name:
        return False
    return left.name == "type" or all(_covers(a, b) for a, b in zip(left.params, right.params, strict=True))
