"""Values that a JSON Schema of ours takes, for Hypothesis: its types, patterns and limits; rules across fields by trying."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

Schema = dict[str, Any]

_ASCII = st.characters(min_codepoint=32, max_codepoint=126)
_RULES = ("oneOf", "anyOf", "allOf", "not", "if")
# What a free mapping may hold.
FREE = st.dictionaries(st.sampled_from(["a", "b", "on", "1"]), st.sampled_from(["x", 1, True, 1.5, ["y"], {"z": "no"}]), max_size=2)


class Values:
    """Strategies of one schema, by reference."""

    def __init__(self, root: Schema) -> None:
        self.root, self._known = root, {}  # type: ignore[var-annotated]

    def of(self, shape: Schema | bool) -> st.SearchStrategy[Any]:
        """The values that `shape` takes."""
        if isinstance(shape, bool):
            return st.sampled_from(["x", 7, False, ["y"]])
        if "$ref" in shape:
            name = shape["$ref"]
            if name not in self._known:
                self._known[name] = st.deferred(lambda: self.of(self.root["$defs"][name.rpartition("/")[2]]))
            return self._known[name]
        if "const" in shape or "enum" in shape:
            return st.sampled_from([shape["const"]] if "const" in shape else shape["enum"])
        return getattr(self, f"_{shape.get('type', 'object')}")(shape)

    def _string(self, shape: Schema) -> st.SearchStrategy[str]:
        least, most = shape.get("minLength", 0), shape.get("maxLength", 40)
        if "pattern" in shape:
            texts = st.from_regex(shape["pattern"].removesuffix("$") + r"\Z", alphabet=_ASCII)
            return (
                st.one_of(st.just(shape["examples"][0]), texts) if "examples" in shape else texts.filter(lambda t: least <= len(t) <= most)
            )
        return st.text(st.characters(exclude_categories=["Cs"]), min_size=least, max_size=min(most, least + 20))

    def _integer(self, shape: Schema) -> st.SearchStrategy[int]:
        return st.integers(shape.get("minimum", -(2**63)), shape.get("maximum", 2**63 - 1))

    def _number(self, shape: Schema) -> st.SearchStrategy[float]:
        return st.floats(shape.get("minimum", -1e6), shape.get("maximum", 1e6), allow_nan=False)

    def _boolean(self, shape: Schema) -> st.SearchStrategy[bool]:
        return st.booleans()

    def _array(self, shape: Schema) -> st.SearchStrategy[list[Any]]:
        least = shape.get("minItems", 0)
        return st.lists(self.of(shape.get("items", True)), min_size=least, max_size=min(shape.get("maxItems", 2), least + 1))

    def _object(self, shape: Schema) -> st.SearchStrategy[dict[str, Any]]:
        if "properties" not in shape:
            if shape.get("additionalProperties", True) is True:
                return FREE
            keys = self.of({"type": "string", "minLength": 1, **shape.get("propertyNames", {})})
            least = shape.get("minProperties", 0)
            return st.dictionaries(keys, self.of(shape["additionalProperties"]), min_size=least, max_size=least + 1)
        fields = {name: self.of(part) for name, part in shape["properties"].items()}
        required = {name: fields.pop(name) for name in shape.get("required", [])}
        found = st.fixed_dictionaries(required, optional=fields)
        if not any(rule in shape for rule in _RULES):
            return found
        validator = Draft202012Validator({**shape, "$defs": self.root.get("$defs", {})})
        return found.filter(lambda value: validator.is_valid(value))  # a method's repr would hold the whole schema
