"""One case with its replies in one run."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api import encode, reveal
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.lookup import run_of
from monitor.api.reveal import Reveal
from monitor.api.schema.case_histories import CaseRepliesItem
from monitor.errors import NotFound
from monitor.store.runs import outcomes
from monitor.store.sets import revisions as evalsets

router = APIRouter(prefix="/api/v1/cases", tags=["cases"])
RunId = Annotated[str, Query(min_length=1, max_length=200)]
CaseId = Annotated[str, Query(min_length=1, max_length=1000)]


@router.get("/replies", **needs(Role.READ))
def get_replies(
    *, context: Context, sender: Sender, run_id: RunId, case_id: CaseId, reveal_: Reveal = False
) -> CaseRepliesItem:
    """Return a case as a run asked it, and the replies by sample with scores, tool calls, cost and latency.

    Texts of a sealed set are null unless revealed. Each reveal adds one log entry.
    """
    with context.store.read() as tx:
        run = run_of(tx, run_id)
        revision = evalsets.find(tx, run.set_name, run.revision)
        row = evalsets.case(tx, run.set_name, run.revision, case_id)
        if row is None:
            raise NotFound(
                f"run {run_id!r} has no case {case_id!r}; GET /api/v1/cases/history lists the runs of a case"
            )
        open_sealed = reveal.opener(context, sender, revision, reveal=reveal_)
        replies = outcomes.of_case(tx, run_id, case_id, open_sealed and reveal.as_text(open_sealed))
        content = reveal.case_content(row, revision, open_sealed)
    if open_sealed is not None:
        reveal.log(context, sender, revision, f"case in {run_id}", [case_id])
    return CaseRepliesItem(
        run_id=run_id,
        sealed=revision.sealed,
        case=encode.case(row, content),
        outcomes=[encode.outcome(each) for each in replies],
    )
