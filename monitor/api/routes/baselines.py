"""Where the baseline of a set was made to start again; accepting a finding does."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode_finding
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import missing
from monitor.api.problems import Unprocessable
from monitor.api.schema import AcceptFinding, BaselineItem, ListPage
from monitor.domain.finding import Finding, ProductionSeries, ReadSource, Verdict
from monitor.domain.run import new_id
from monitor.drift.judge.accept_baseline import accepted_baseline, accepted_finding, accepted_series_baseline, onset_run
from monitor.errors import Conflict
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts, baselines, findings
from monitor.store.runs import runs

router = APIRouter(prefix="/api/v1/baselines", tags=["baselines"])


@router.get("", **needs(Role.READ))
def list_baselines(context: Context, query: ListQuery) -> ListPage[BaselineItem]:
    with context.store.read() as tx:
        return as_list(baselines.page(tx, query), encode_finding.baseline)


@router.post("", status_code=201, response_model=BaselineItem, **needs(Role.OPERATE, **model_body(AcceptFinding)))
def accept_finding(context: Context, write: Write, sender: Sender) -> Response:
    """Start the baseline of a set again at a finding's onset: 201, or 200 when that was done before. The set's open
    alert resolves.
    """
    order = write.parse(AcceptFinding)
    return write_once(context, write, lambda tx: _accepted(context, tx, order, sender.name))


def _accepted(context: ApiContext, tx: Tx, order: AcceptFinding, who: str) -> tuple[int, BaselineItem]:
    told = findings.get(tx, order.finding_id)
    if told is None:
        raise missing("finding", order.finding_id, "findings")
    if isinstance(told.subject, ProductionSeries):
        return _accepted_series(context, tx, told, told.subject, order.reason, who)
    if isinstance(told.subject, ReadSource):
        raise Conflict(f"finding {told.id!r} is about {told.subject.name}: it ends by itself when they work again")
    alert = alerts.open_of_set(tx, told.deployment, told.replay.set_name)
    source = _with_onset(told, findings.get(tx, alert.finding_id) if alert else None)
    known = baselines.of_finding(tx, source.id)
    if known is not None:
        return 200, encode_finding.baseline(known)
    first = runs.get(tx, onset_run(source))
    if first is None or first.finished_at is None:
        raise Conflict(f"run {onset_run(source)!r}, where the change of {told.id!r} began, is not kept any more")
    now = context.clock.now()
    baseline = accepted_baseline(
        source, first.finished_at, baseline_id=new_id("baseline", now), who=who, reason=order.reason, now=now
    )
    end = accepted_finding(told, baseline, finding_id=new_id("finding", now), at=now) if alert else None
    baselines.accept(tx, baseline, end)
    return 201, encode_finding.baseline(baseline)


def _accepted_series(  # noqa: PLR0917 - as `_accepted`, with what was found
    context: ApiContext, tx: Tx, told: Finding, subject: ProductionSeries, reason: str, who: str
) -> tuple[int, BaselineItem]:
    """Traffic that drifted is the usual at once: there is nothing to accept of it, nor of a day that was well."""
    alert = alerts.open_of_series(tx, told.deployment, subject.series)
    known = baselines.of_finding(tx, told.id)
    if known is not None:
        return 200, encode_finding.baseline(known)
    now = context.clock.now()
    baseline = accepted_series_baseline(told, baseline_id=new_id("baseline", now), who=who, reason=reason, now=now)
    if baseline is None or told.verdict not in {Verdict.REGRESSION, Verdict.IMPROVEMENT}:
        raise Unprocessable(f"finding {told.id!r} says {told.verdict.value}: there is nothing to accept")
    end = accepted_finding(told, baseline, finding_id=new_id("finding", now), at=now) if alert else None
    baselines.accept(tx, baseline, end)
    return 201, encode_finding.baseline(baseline)


def _with_onset(told: Finding, opening: Finding | None) -> Finding:
    """The finding that knows where it began: a later night of an open alert says only that it is still there."""
    if told.evidence is not None and told.evidence.onset_run is not None:
        return told
    if told.verdict not in {Verdict.REGRESSION, Verdict.IMPROVEMENT}:
        raise Unprocessable(f"finding {told.id!r} says {told.verdict.value}: there is nothing to accept")
    return opening if opening is not None and told.verdict is Verdict.REGRESSION else told
