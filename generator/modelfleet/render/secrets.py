"""Secrets that what is declared refers to: as ExternalSecrets where the fleet has a store, as a list for people where it has none.

No value of a Secret is read, written or printed: only names, keys and who needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import names
from . import caches, sync
from .metadata import metadata
from .unit import Manifest
from .workload import Key

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.fleet import Secrets
    from ..resolve.fleet import Fleet

PULL_TYPE = "kubernetes.io/dockerconfigjson"
_PULL_KEY = ".dockerconfigjson"


@dataclass(frozen=True, slots=True)
class Needed:
    """A Secret. keys: those that are named, sorted; empty if all of it is taken as it is. users: who refers to it, sorted."""

    namespace: str
    name: str
    keys: tuple[str, ...]
    users: tuple[str, ...]

    @property
    def pulls(self) -> bool:
        """Whether images are pulled with it."""
        return _PULL_KEY in self.keys

    def line(self) -> str:
        """`secret search/hf-token, key HF_TOKEN (qwen3-8b)`."""
        keys = f", key{'s' if len(self.keys) > 1 else ''} {', '.join(self.keys)}" if self.keys else ""
        return f"secret {self.namespace}/{self.name}{keys} ({', '.join(self.users)})"


def of_deployments(fleet: Fleet, keys: Iterable[Key]) -> tuple[Needed, ...]:
    """What the pods of some deployments and their caches need, whichever alternative is chosen; sorted by namespace and name."""
    found: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for namespace, name in keys:
        for secret, key in _references(fleet, (namespace, name)):
            into = found.setdefault((namespace, secret), (set(), set()))
            into[0].update([key] if key else [])
            into[1].add(name)
    return tuple(Needed(*ref, tuple(sorted(named)), tuple(sorted(users))) for ref, (named, users) in sorted(found.items()))


def at_front(fleet: Fleet, namespace: str) -> tuple[Needed, ...]:
    """What a namespace's routes at a front door need: its copy of the fleet's token, and the keys of its providers."""
    token_ref = fleet.settings.spec.routing.token_secret_ref
    found = {token_ref.name: {"routes"}} if token_ref else {}
    for (space, name), endpoint in fleet.endpoints.items():
        if space == namespace and endpoint.spec.credential:
            found.setdefault(endpoint.spec.credential.api_key.secret_ref.name, set()).add(name)
    return tuple(Needed(namespace, name, (), tuple(sorted(users))) for name, users in sorted(found.items()))


def together(*groups: Iterable[Needed]) -> tuple[Needed, ...]:
    """Several lists as one, a Secret once, sorted."""
    found: dict[tuple[str, str], Needed] = {}
    for needed in (one for group in groups for one in group):
        ref = (needed.namespace, needed.name)
        if other := found.get(ref):
            keys, users = ({*getattr(needed, field), *getattr(other, field)} for field in ("keys", "users"))
            needed = Needed(*ref, tuple(sorted(keys)), tuple(sorted(users)))
        found[ref] = needed
    return tuple(found[ref] for ref in sorted(found))


def external_secret(needed: Needed, store: Secrets, removal: sync.Removal) -> Manifest:
    """The Secret out of the fleet's store: every key that is there under the key of the template.

    Under Retire the Secret does not belong to this object: it stays when this goes, as pods may start at any time.
    """
    target: dict[str, Any] = {
        "name": needed.name,
        "creationPolicy": "Orphan" if removal == "Retire" else "Owner",
        "deletionPolicy": "Retain",
    }
    if needed.pulls:
        target["template"] = {"engineVersion": "v2", "mergePolicy": "Replace", "type": PULL_TYPE}
    remote = {"conversionStrategy": "Default", "decodingStrategy": "None", "key": store_key(store, needed), "metadataPolicy": "None"}
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": metadata(needed.name, needed.namespace, annotations=sync.annotations_of("ExternalSecret", removal)),
        "spec": {
            "dataFrom": [{"extract": remote}],
            "refreshInterval": "1h0m0s",
            "secretStoreRef": {"kind": store.store_ref.kind, "name": store.store_ref.name},
            "target": target,
        },
    }


def store_key(store: Secrets, needed: Needed) -> str:
    """Where the store holds it: the template with two words replaced, and nothing else read."""
    return store.key_template.replace("{namespace}", needed.namespace).replace("{name}", needed.name)


def prerequisites(found: Iterable[Needed], store: Secrets | None) -> list[str]:
    """A line for each Secret that somebody has to bring: to the store, or to the cluster itself."""
    if store is None:
        return [needed.line() for needed in found]
    return [f"{needed.line()}: key {store_key(store, needed)} of {store.store_ref.kind} {store.store_ref.name}" for needed in found]


def token(name: str, consumer: str) -> Needed:
    """The fleet's token in the system namespace: what gateways ask for, and a front door's egress."""
    return Needed(names.SYSTEM_NAMESPACE, name, ("credential",), (consumer,))


def callers(name: str, front: str) -> Needed:
    """API keys of callers: each key of the Secret names a caller."""
    return Needed(names.SYSTEM_NAMESPACE, name, (), (f"a key for each caller of front door {front}, each value once",))


def _references(fleet: Fleet, key: Key) -> Iterator[tuple[str, str]]:
    """(Secret, key or "") of a deployment's pods and of its cache."""
    deployment = fleet.deployments[key]
    for engine in deployment.engines:
        for member in engine.members:
            yield from _in_pod(member.template.spec)
        for changed in (member for alternative in engine.alternatives for member in alternative.members):
            for variable in changed.env:
                yield from _in_pod(variable.model_dump(by_alias=True, exclude_none=True))
    reference = deployment.spec.template.spec.model_cache_ref
    if reference and (cache := fleet.caches.get((key[0], reference.name))):
        yield from caches.secrets(cache)


def _in_pod(value: Any, parent: str = "") -> Iterator[tuple[str, str]]:
    """Every reference to a Secret in a part of a pod spec, whatever kind of volume or variable it stands in; optional ones too."""
    if isinstance(value, Mapping):
        if parent == "secretKeyRef":
            yield from _named(value.get("name"), value.get("key"))
        elif parent == "secret":  # of a volume, or with `name` of a projected one
            items: Sequence[Mapping[str, Any]] = value.get("items") or ({},)
            for item in items:
                yield from _named(value.get("secretName") or value.get("name"), item.get("key"))
        elif parent in ("secretRef", "nodePublishSecretRef"):
            yield from _named(value.get("name"), None)
        for key, item in value.items():
            yield from _in_pod(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            if parent == "imagePullSecrets" and isinstance(item, Mapping):
                yield from _named(item.get("name"), _PULL_KEY)
            else:
                yield from _in_pod(item)


def _named(name: Any, key: Any) -> Iterator[tuple[str, str]]:
    if isinstance(name, str) and name:
        yield name, key if isinstance(key, str) else ""
