"""Which clusters a selector matches: asked once for each selector, whoever has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..api.base import Selector
from ..resolve.fleet import Cluster, Fleet

Key = tuple[tuple[tuple[str, str], ...], tuple[object, ...]]


@dataclass(slots=True)
class Reach:
    """The clusters of a fleet by selector. It remembers its answers: thousands of deployments share a few selectors."""

    fleet: Fleet
    _known: dict[Key, tuple[Cluster, ...]] = field(default_factory=dict)
    _classes: dict[Key, tuple[str, ...]] = field(default_factory=dict)

    def of(self, selector: Selector) -> tuple[Cluster, ...]:
        """The clusters that `selector` matches, by name."""
        key = _key(selector)
        if key not in self._known:
            self._known[key] = tuple(c for c in self.fleet.clusters.values() if selector.matches(dict(c.labels)))
        return self._known[key]

    def classes(self, selector: Selector) -> tuple[str, ...]:
        """Names of the classes on those clusters, sorted."""
        key = _key(selector)
        if key not in self._classes:
            self._classes[key] = tuple(sorted({pool.class_name for cluster in self.of(selector) for pool in cluster.pools}))
        return self._classes[key]


def _key(selector: Selector) -> Key:
    return (tuple(sorted(selector.match_labels.items())), tuple(selector.match_expressions))
