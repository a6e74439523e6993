"""Typed resources to one immutable `Fleet`: references followed, classes onto pools, defaults that need a second file."""

from .fleet import Cluster, Deployment, Endpoint, Fleet, Front, Pool, Service, Settings
from .resolver import resolve

__all__ = ["Cluster", "Deployment", "Endpoint", "Fleet", "Front", "Pool", "Service", "Settings", "resolve"]
