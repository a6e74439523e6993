"""Typed resources to one immutable `Fleet`: references followed, classes onto pools, defaults that need a second file."""

from .fleet import Cluster, Deployment, Fleet, Pool, Settings
from .resolver import resolve

__all__ = ["Cluster", "Deployment", "Fleet", "Pool", "Settings", "resolve"]
