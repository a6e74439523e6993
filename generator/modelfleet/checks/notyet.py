"""What is accepted and not done by this release, said at its line."""

from __future__ import annotations

from .. import codes
from ..api.pending import pending
from ..diagnostics import Report
from ..validate import Resources


def check_pending(resources: Resources, report: Report) -> None:
    """NotYetRendered and NoMeaning for every field that is not its default."""
    for kind, known in resources.kinds.items():
        for resource in known.values():
            for found in pending(kind, resource.model):
                where = resource.at(*found.loc)
                if found.row.meaningless:
                    report.add(codes.NO_MEANING, f"`{found.loc[-1]}` has no meaning here: {found.row.text}", where)
                else:
                    report.add(codes.NOT_YET_RENDERED, f"`{found.loc[-1]}`: {found.row.text}", where)
