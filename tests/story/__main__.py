"""`python -m tests.story DIR`: the story as a repository, each chapter a branch."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.story.story import CHAPTERS, begin, branch, end

if __name__ == "__main__":
    folder = begin(Path(sys.argv[1]))
    for chapter in CHAPTERS:
        branch(folder, chapter)
        end(folder, chapter)
        print(f"{chapter.name}: {chapter.told}")
