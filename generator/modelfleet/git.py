"""The repository as it was at another commit. GitPython is imported only when a command compares with a base."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from git import Commit, Repo, Tree

FOLDERS = ("fleet", "models", "placements")
SUFFIXES = (".yaml", ".yml", ".json")
_SYMLINK = 0o120000
_WHOLE = "git fetch --unshallow, or in CI: fetch-depth: 0"
_BRANCH = re.compile(r"(origin/)?(?!HEAD$|[0-9a-f]{40}$)[A-Za-z0-9][A-Za-z0-9._/-]*")


class BaseError(Exception):
    """The base cannot be read. hint: what one can do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def files_at(root: Path, ref: str, published: bool = False) -> dict[str, bytes]:
    """The declaration files of the fleet repository at `root`, by relative path, as they were where the work tree left `ref`.

    That is the merge base of `ref` and HEAD, so that what others have merged since does not count as taken away here.
    A branch that only origin has is taken from there; `published`: from there if origin has it at all, since only that is
    what Argo CD can have read. Raises BaseError where there is no Git, no such commit, or no common history.
    """
    if not ref or ref.startswith("-"):
        why = "it begins with a dash" if ref else "it is empty"
        raise BaseError(f"`{ref}` is not a commit: {why}", "modelfleet check --base origin/main")
    with _open(root) as repo:
        commit = _merge_base(repo, ref, published)
        assert repo.working_tree_dir is not None
        prefix = root.resolve().relative_to(Path(repo.working_tree_dir).resolve()).as_posix()
        found: dict[str, bytes] = {}
        for folder in FOLDERS:
            tree = _tree(commit, folder if prefix == "." else f"{prefix}/{folder}")
            for name, content in _blobs(tree) if tree else ():
                found[f"{folder}/{name}"] = content
        return dict(sorted(found.items()))


def commit_at(root: Path, ref: str) -> str:
    """The first letters of the commit that `files_at` reads."""
    with _open(root) as repo:
        return _merge_base(repo, ref).hexsha[:8]


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
    _readable(repo)
    return repo


def _readable(repo: Repo) -> None:
    """Git reads no repository of another user unless it is told to; asked through a pipe it would only close it."""
    import git

    try:
        repo.git.rev_parse("--git-dir")
    except git.GitCommandError as error:
        why = "it belongs to another user" if "dubious ownership" in error.stderr else error.stderr.strip().removeprefix("stderr: ")
        hint = f"git config --global --add safe.directory {repo.working_tree_dir}"
        raise BaseError(f"Git does not read {repo.working_tree_dir}: {why}", hint) from error


def _merge_base(repo: Repo, ref: str, published: bool = False) -> Commit:
    import git

    shallow = (Path(repo.common_dir) / "shallow").exists()
    there, head = _commit(repo, [f"origin/{ref}", ref] if published else [ref, f"origin/{ref}"]), _commit(repo, ["HEAD"])
    if there is None:
        hints = [f"git fetch origin {ref.removeprefix('origin/')}"] if _BRANCH.fullmatch(ref) else []
        hints += [_WHOLE] if shallow else []
        raise BaseError(f"there is no commit `{ref}` in this clone", "; ".join(hints) or "name a branch, a tag or a commit: origin/main")
    if head is None:
        raise BaseError("HEAD is no commit: nothing has been committed here yet", "git commit")
    try:
        common = repo.merge_base(there.hexsha, head.hexsha)
    except git.GitError as error:
        raise BaseError(f"the common history with `{ref}` cannot be read", _WHOLE) from error
    if not common:
        why = "this clone is shallow" if shallow else "their histories are unrelated"
        raise BaseError(f"`{ref}` and HEAD have no commit in common: {why}", _WHOLE if shallow else "name a commit that HEAD comes from")
    found = common[0]
    assert isinstance(found, git.Commit)
    return found


def _commit(repo: Repo, names: list[str]) -> Commit | None:
    """The commit that the first of `names` leads to; None if none does. Git resolves them: GitPython knows no `@{yesterday}`."""
    import git

    for name in names:
        with contextlib.suppress(git.GitError):
            return repo.commit(repo.git.rev_parse("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"))
    return None


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
