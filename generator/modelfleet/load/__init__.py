"""Files to YAML documents, each value with its file, line and column.

The reader takes the YAML that 1.1 and 1.2 parsers agree on: no aliases, anchors, tags or merge keys, no duplicate keys,
and a plain word that the two read differently (`no`, `1e3`, `012`, `12:30`) must be quoted. What it returns are strings,
integers of 64 bits, floats, booleans, None, lists and dicts; positions stay in the syntax tree and are looked up when a
diagnostic needs one.
"""

from __future__ import annotations

from .document import Document
from .files import MAX_BYTES, SUFFIXES, decoded, files, folders, read, uncollected
from .parse import MAX_DEPTH, parse

__all__ = ["MAX_BYTES", "MAX_DEPTH", "SUFFIXES", "Document", "decoded", "files", "folders", "parse", "read", "uncollected"]
