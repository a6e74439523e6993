"""modelfleet: one inference fleet out of scattered GPU clusters, with a Git repository and Argo CD."""

__version__ = "0.1.0"  # a constant: importlib.metadata costs half as much as the whole start
