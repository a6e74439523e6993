"""Pod templates against Kubernetes' own models, strictly, and against what modelfleet owns of a pod. For `check` alone: the
`kubernetes` package takes a quarter of a second to import.
"""

from .check import check_pods

__all__ = ["check_pods"]
