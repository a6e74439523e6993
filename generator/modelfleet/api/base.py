"""What all kinds share: strict frozen models, names, labels, selectors, taints.

Conventions of `api/` (they hold for every module here):
- Python names are snake_case, YAML names camelCase by alias; a keyword gets a trailing underscore and an explicit alias.
- Lists are `Items[T]` (a tuple once validated); a list of named things is checked by `unique`.
- A field's docstring (the string below it) is what the JSON Schema and the reference say of it: unit, default, limit.
- A rule across fields is a `model_validator(mode="after")` that raises `mistake(...)`.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

GROUP = "modelfleet.io"
ARGO_CD = "argocd.argoproj.io/"
OWN_KEYS = ("modelfleet.io/", "modelplane.ai/")  # of labels and annotations
API_VERSION = "modelfleet.io/v1alpha1"

# Kubernetes allows 256 KiB on an object; a pod has those of two templates, and modelfleet's and Argo CD's.
ANNOTATIONS_LIMIT = 100 * 1024  # bytes

T = TypeVar("T")


def mistake(code: str, message: str, *path: str | int, hint: str = "") -> PydanticCustomError:
    """An error that validators raise: `code` names a diagnostic, `path` leads from this model to the value."""
    # Braces would be read as fields of the message template.
    return PydanticCustomError("modelfleet", "{message}", {"code": code, "message": message, "path": list(path), "hint": hint})


class Model(BaseModel):
    """Base of every declaration: unknown fields and converted types are refused, values are frozen."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        defer_build=True,  # a command builds the kinds it meets, not all of them
        populate_by_name=False,  # one spelling exists
        use_attribute_docstrings=False,  # reading the source costs start-up; schemas.py does it when asked
    )


def unique(key: str | tuple[str, ...] = "name") -> AfterValidator:
    """Refuses two items with the same `key` (attribute names) in a list."""
    keys = (key,) if isinstance(key, str) else key

    def check(items: tuple[Any, ...]) -> tuple[Any, ...]:
        seen: dict[tuple[Any, ...], int] = {}
        for index, item in enumerate(items):
            ident = tuple(getattr(item, k) for k in keys)
            if ident in seen:
                what = ", ".join(f"{k.rstrip('_')} `{v}`" for k, v in zip(keys, ident, strict=True) if v is not None)
                raise mistake("DuplicateItem", f"{what} stands twice in this list", index, keys[0].rstrip("_"), hint="rename or remove one")
            seen[ident] = index
        return items

    return AfterValidator(check)


# A YAML list. Lax on the outside alone: pydantic's strict mode takes no list for a tuple.
Items = Annotated[tuple[T, ...], Field(strict=False)]

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
DnsLabel = Annotated[str, StringConstraints(min_length=1, max_length=63, pattern=rf"^{_LABEL}$")]
DnsSubdomain = Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=rf"^{_LABEL}(\.{_LABEL})*$")]
LabelValue = Annotated[str, StringConstraints(max_length=63, pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$")]
_KEY = rf"^({_LABEL}(\.{_LABEL})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?$"


def _short_prefix(key: str) -> str:
    """A prefix is a DNS name: at most 253 characters."""
    if len(key.rpartition("/")[0]) > 253:
        raise mistake("BadName", "what stands before `/` has more than 253 characters", hint="example.com/key")
    return key


LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=317, pattern=_KEY), AfterValidator(_short_prefix)]
Duration = Annotated[str, StringConstraints(pattern=r"^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
Money = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}(\.[0-9]{1,6})?$")]
Labels = dict[LabelKey, LabelValue]


def _small(annotations: dict[str, str]) -> dict[str, str]:
    size = sum(len(key.encode()) + len(text.encode()) for key, text in annotations.items())
    if size > ANNOTATIONS_LIMIT:
        message = f"all annotations together have {size} bytes; at most {ANNOTATIONS_LIMIT} are allowed"
        raise mistake("TooMany", message, hint="use a ConfigMap for long texts")
    return annotations


Annotations = Annotated[dict[LabelKey, str], AfterValidator(_small)]
_PART = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_REGISTRY = r"[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?"
ImageName = Annotated[
    str,
    StringConstraints(
        max_length=1024,
        pattern=rf"^({_REGISTRY}/)?{_PART}(/{_PART})*(:[A-Za-z0-9_][-A-Za-z0-9_.]{{0,127}})?(@[A-Za-z0-9_+.-]+:[0-9a-fA-F]{{32,}})?$",
    ),
]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]
# A resource of a pod: `cpu`, `nvidia.com/gpu`, and of a quota also `requests.cpu`.
ResourceName = Annotated[
    str, StringConstraints(min_length=1, max_length=317, pattern=r"^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
]
SecretKey = Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=r"^[-._A-Za-z0-9]+$")]


def duration_seconds(text: str) -> int:
    """Seconds of a Gateway API duration such as `1h30m`; milliseconds are rounded up."""
    total, number, rest = 0, "", text
    factor = {"h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
    while rest:
        number = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        rest = rest[len(number) :]
        unit = "ms" if rest.startswith("ms") else rest[0]
        rest = rest[len(unit) :]
        total += int(number) * factor[unit]
    return -(-total // 1000)


def reserved(field: str, keys: Iterable[str], *prefixes: str) -> None:
    """Refuses keys of labels or annotations (`field`) that belong to someone else: what is rendered depends on them."""
    for key in keys:
        if key.startswith(prefixes):
            owner = "Argo CD" if key.startswith(ARGO_CD) else "modelfleet"
            raise mistake(
                "ReservedLabel",
                f"the {field[:-1].replace('label', 'label key')} `{key}` belongs to {owner}",
                field,
                key,
                hint="use a key of your own",
            )


class Metadata(Model):
    """Name, labels and annotations of a document."""

    name: DnsSubdomain
    """Name of the object, unique for its kind (and namespace)."""
    labels: Labels = {}
    """Labels; selectors match on them."""
    annotations: Annotations = {}
    """Annotations. `modelfleet.io/remove: approved` marks a removal on purpose."""


class NamespacedMetadata(Metadata):
    """Metadata of a kind that lives in a namespace."""

    namespace: DnsLabel
    """Namespace on the clusters; the folder under models/ has the same name."""


class Requirement(Model):
    """One label requirement, as in Kubernetes."""

    key: LabelKey
    """Label key."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How the label's value is compared."""
    values: Items[LabelValue] = ()
    """Values for In and NotIn."""


class Selector(Model):
    """A label selector: every label and every expression must hold. An empty selector matches everything."""

    match_labels: Labels = {}
    """Labels that must have exactly these values."""
    match_expressions: Items[Requirement] = ()
    """Further requirements."""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether `labels` satisfy this selector, with Kubernetes' answers (NotIn holds for a missing label)."""
        if any(labels.get(key) != value for key, value in self.match_labels.items()):
            return False
        return all(_holds(r, labels) for r in self.match_expressions)


def _holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
    return value is None


class Taint(Model):
    """A mark that keeps replicas away: NoSchedule admits no new ones, NoExecute also drains what is there."""

    key: Annotated[str, StringConstraints(min_length=1)]
    """Key that a toleration names."""
    value: str = ""
    """Value that an Equal toleration must name."""
    effect: Literal["NoSchedule", "NoExecute"]
    """NoSchedule: nothing new. NoExecute: what is there is retired too."""


class NodeTaint(Model):
    """A taint as Kubernetes nodes carry it."""

    key: LabelKey
    """Taint key."""
    value: LabelValue = ""
    """Taint value."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """Taint effect."""


class Document(Model):
    """Base of every kind: subclasses fix apiVersion and kind and give metadata and spec their types."""

    SCOPE: ClassVar[Literal["Platform", "Model", "Placement"]]

    @property
    def ref_name(self) -> str:
        """`namespace/name`, or the name of a platform kind."""
        metadata: Any = self.metadata  # type: ignore[attr-defined]
        namespace = getattr(metadata, "namespace", "")
        return f"{namespace}/{metadata.name}" if namespace else str(metadata.name)
