"""The repository as it was at another commit. GitPython is imported only when a command compares with a base."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from git import Commit, Repo, Tree

FOLDERS = ("fleet", "models", "placements")
SUFFIXES = (".yaml", ".yml", ".json")
_SYMLINK = 0o120000
_WHOLE = "git fetch --unshallow, or in CI: fetch-depth: 0"


class BaseError(Exception):
    """The base cannot be read. hint: what one can do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def files_at(root: Path, ref: str) -> dict[str, bytes]:
    """The declaration files of the fleet repository at `root`, by relative path, as they were where the work tree left `ref`.

    That is the merge base of `ref` and HEAD, so that what others have merged since does not count as taken away here.
    Raises BaseError where there is no Git, no such commit, or no common history.
    """
    if ref.startswith("-"):
        raise BaseError(f"`{ref}` is not a commit: it begins with a dash", "modelfleet check --base origin/main")
    with _open(root) as repo:
        commit = _merge_base(repo, ref)
        assert repo.working_tree_dir is not None
        prefix = root.resolve().relative_to(Path(repo.working_tree_dir).resolve()).as_posix()
        found: dict[str, bytes] = {}
        for folder in FOLDERS:
            tree = _tree(commit, folder if prefix == "." else f"{prefix}/{folder}")
            for name, content in _blobs(tree) if tree else ():
                found[f"{folder}/{name}"] = content
        return dict(sorted(found.items()))


def _open(root: Path) -> Repo:
    try:
        import git
    except ImportError as error:  # GitPython looks for the program when it is imported
        raise BaseError(f"git cannot be used: {str(error).splitlines()[0]}", "install git") from error
    try:
        repo = git.Repo(root, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
        raise BaseError(f"{root} is not in a Git work tree", "run in a clone of the fleet repository") from error
    if repo.bare or repo.working_tree_dir is None:
        raise BaseError(f"{root} is in a bare Git repository", "run in a clone of the fleet repository")
    return repo


def _merge_base(repo: Repo, ref: str) -> Commit:
    import git
    from git.exc import ODBError

    shallow = (Path(repo.common_dir) / "shallow").exists()
    try:
        base, head = repo.commit(ref), repo.head.commit
    except (git.GitError, ODBError, ValueError, IndexError) as error:
        hint = f"git fetch origin {ref.removeprefix('origin/')}" + (f"; {_WHOLE}" if shallow else "")
        raise BaseError(f"there is no commit `{ref}` in this clone", hint) from error
    try:
        common = repo.merge_base(base.hexsha, head.hexsha)
    except git.GitError as error:
        raise BaseError(f"the common history with `{ref}` cannot be read", _WHOLE) from error
    if not common:
        why = "this clone is shallow" if shallow else "their histories are unrelated"
        raise BaseError(f"`{ref}` and HEAD have no commit in common: {why}", _WHOLE if shallow else "name a commit that HEAD comes from")
    found = common[0]
    assert isinstance(found, git.Commit)
    return found


def _tree(commit: Commit, path: str) -> Tree | None:
    """The folder at `path`; None where it was not there."""
    try:
        found = commit.tree / path
    except KeyError:
        return None
    return found if found.type == "tree" else None


def _blobs(tree: Tree, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Declaration files below `tree`; hidden names and links are left out, as in the work tree."""
    for item in tree:
        name = str(item.name)
        if name.startswith("."):
            continue
        if item.type == "tree":
            yield from _blobs(item, f"{prefix}{name}/")
        elif item.type == "blob" and item.mode != _SYMLINK and name.endswith(SUFFIXES):
            yield f"{prefix}{name}", item.data_stream.read()
