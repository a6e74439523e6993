"""What is accepted and not done by this release: said at its line, and an error where a record depends on it."""

from __future__ import annotations

from .. import codes
from ..api.pending import pending
from ..diagnostics import Report
from ..validate import Resources


def check_pending(resources: Resources, report: Report) -> None:
    """NotYetRendered and NoMeaning for every field that is not its default; NotAvailable for a recorded deployment that is held back."""
    for kind, known in resources.kinds.items():
        for ref, resource in known.items():
            record = resources.of("Placement").get(ref)
            for found in pending(kind, resource.model):
                name, where = found.loc[-1], resource.at(*found.loc)
                if found.row.meaningless:
                    report.add(codes.NO_MEANING, f"`{name}` has no meaning here: {found.row.text}", where)
                elif found.row.stops and record and record.model.spec.replicas:
                    message = f"`{name}`: {found.row.text}, and `{ref}` has a recorded placement that it would not run in"
                    report.add(codes.NOT_AVAILABLE, message, where, "put the old value back")
                elif found.row.stops:
                    message = f"`{name}`: {found.row.text}; `{ref}` is held back and placed nowhere"
                    report.add(codes.NOT_YET_RENDERED, message, where)
                else:
                    shown = found.row.text if found.loc == ("kind",) else f"`{name}`: {found.row.text}"
                    report.add(codes.NOT_YET_RENDERED, shown, where)
