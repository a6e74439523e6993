"""Units as a tree of files: <cluster>/<unit>/<kind>-<name>.yaml. Only files that this program wrote are ever removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from .emit import document
from .render.unit import Unit, UnitId

MARK = ".modelfleet"  # lists the files of the tree, so that stale ones can be told from others' files


def files_of(units: Iterable[Unit]) -> dict[str, str]:
    """Content by path relative to the tree; one object a file."""
    found: dict[str, str] = {}
    for unit in units:
        folder = "root" if unit.id.cluster == "root" else f"{unit.id.cluster}/{unit.id.name}"
        for manifest in unit.manifests:
            metadata = manifest["metadata"]
            path = f"{folder}/{manifest['kind'].lower()}-{metadata['name']}.yaml"
            assert path not in found, f"two objects would be written to {path}"
            found[path] = document(manifest)
    return dict(sorted(found.items()))


def refusal(repository: Path, root: Path) -> str:
    """Why a tree must not stand at `root`: among the declarations of `repository`, or around them. Empty if it may."""
    here = root.resolve()
    for name in ("fleet", "models", "placements", ".git"):
        kept = (repository / name).resolve()
        if here == kept or kept in here.parents:
            return f"{root} is in {name}/ of the repository"
        if here in kept.parents:
            return f"{root} holds {name}/ of the repository"
    return ""


def links(root: Path, paths: Collection[str]) -> list[str]:
    """The symbolic links below `root` that writing to `paths` would follow, and the paths that are links."""
    found = {path for path in paths if (root / path).is_symlink()}
    folders = {parent for path in paths for parent in PurePosixPath(path).parents if parent.parts}
    return sorted(found | {str(folder) for folder in folders if (root / folder).is_symlink()})


def touched(root: Path, wanted: Mapping[str, str]) -> set[str]:
    """The paths that `write` may change or remove."""
    return {MARK, *wanted, *_marked(root)}


def left(root: Path, listed: Collection[UnitId]) -> set[UnitId]:
    """The units whose files an earlier run wrote at `root`, and that are not `listed` any more."""
    folders = {PurePosixPath(path).parent.parts for path in _marked(root)}
    found = {UnitId(parts[0], "/".join(parts[1:])) for parts in folders if len(parts) > 1}
    return {unit for unit in found - set(listed) if unit.possible}


def compare(root: Path, wanted: Mapping[str, str], partial: bool) -> list[str]:
    """What `write` would do: `missing`, `changed` and `stale` files, one line each."""
    lines = []
    for path, content in wanted.items():
        file = root / path
        if not file.is_file():
            lines.append(f"missing {path}")
        elif file.read_bytes() != content.encode():
            lines.append(f"changed {path}")
    return lines + [f"stale {path}" for path in _stale(root, wanted, partial)]


def write(root: Path, wanted: Mapping[str, str], partial: bool) -> int:
    """Writes what differs and removes what is stale; returns how many files changed.

    partial: only some units were rendered, so nothing is stale.
    """
    changed = 0
    for path, content in wanted.items():
        file = root / path
        if file.is_file() and file.read_bytes() == content.encode():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
        changed += 1
    for path in _stale(root, wanted, partial):
        (root / path).unlink()
        changed += 1
        _remove_empty(root, PurePosixPath(path).parent)
    known = set(wanted) | (_marked(root) if partial else set())
    (root / MARK).write_bytes("".join(f"{path}\n" for path in sorted(known)).encode())
    return changed


def _stale(root: Path, wanted: Mapping[str, str], partial: bool) -> list[str]:
    return [] if partial else sorted(path for path in _marked(root) - set(wanted) if (root / path).is_file())


def _marked(root: Path) -> set[str]:
    """The files that an earlier run wrote; lines that lead out of the tree are ignored."""
    mark = root / MARK
    lines = mark.read_text(encoding="utf-8", errors="replace").splitlines() if mark.is_file() else []
    return {line for line in lines if line and not line.startswith("/") and ".." not in line.split("/")}


def _remove_empty(root: Path, folder: PurePosixPath) -> None:
    while folder.parts and not any((root / folder).iterdir()):
        (root / folder).rmdir()
        folder = folder.parent
