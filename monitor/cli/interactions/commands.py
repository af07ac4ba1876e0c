"""`driftd interactions`: search the logged calls, and show one with its messages and feedback."""

from datetime import datetime
from typing import Annotated

import typer

from monitor.api.schema.interactions import InteractionDetail, InteractionPage
from monitor.cli.connection.session import Session, with_session
from monitor.cli.interactions.output import print_interaction, print_page
from monitor.cli.options import Deployment
from monitor.domain.feedback import FeedbackKind
from monitor.domain.interaction import Status

app = typer.Typer(help="Logged calls: search, show.", no_args_is_help=True, add_completion=False)
PATH = "/api/v1/interactions"
INSTANT = ["%Y-%m-%dT%H:%M:%S%z"]

Instant = Annotated[datetime | None, typer.Option(formats=INSTANT, help="Time with an offset. [since, until).")]
Feedback = Annotated[bool | None, typer.Option("--feedback/--no-feedback", help="With or without any feedback.")]
Corrected = Annotated[bool | None, typer.Option("--corrected/--not-corrected", help="With or without a correction.")]


@app.command("search")
@with_session
def search(  # noqa: PLR0917 - one option a filter
    session: Session,
    deployment: Deployment = None,
    text: Annotated[str | None, typer.Option(help="Part of the input or the output.")] = None,
    since: Instant = None,
    until: Instant = None,
    version: Annotated[str | None, typer.Option(help="Id of a version.")] = None,
    user: Annotated[str | None, typer.Option(help="Id of a user, or its stored hash.")] = None,
    feedback: Feedback = None,
    kind: Annotated[FeedbackKind | None, typer.Option(help="Kind of feedback.")] = None,
    corrected: Corrected = None,
    status: Annotated[Status | None, typer.Option(help="Result of the call.")] = None,
    category: Annotated[str | None, typer.Option(help="Category of the request.")] = None,
    trace: Annotated[str | None, typer.Option(help="Id of a trace.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Id of a conversation.")] = None,
    cursor: Annotated[str | None, typer.Option(help="Continue a search: the cursor that it printed.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="Maximum number of calls.")] = 50,
) -> None:
    """Search the logged calls, newest first. A search of rare words stops after its time limit and prints a cursor."""
    found = session.api.get(
        PATH,
        InteractionPage,
        deployment=deployment,
        text=text,
        since=since and since.isoformat(),
        until=until and until.isoformat(),
        version=version,
        user=user,
        feedback=_text(feedback),
        feedback_kind=kind and kind.value,
        corrected=_text(corrected),
        status=status and status.value,
        category=category,
        trace_id=trace,
        conversation_id=conversation,
        cursor=cursor,
        limit=limit,
    )
    session.show(found, lambda: print_page(found))


@app.command("show")
@with_session
def show(session: Session, interaction: Annotated[str, typer.Argument(help="Id of a call.")]) -> None:
    """Show a call: its messages, its feedback, and the calls of its trace and conversation."""
    found = session.api.get(f"{PATH}/{interaction}", InteractionDetail)
    session.show(found, lambda: print_interaction(found))


def _text(flag: bool | None) -> str | None:
    return None if flag is None else str(flag).lower()
