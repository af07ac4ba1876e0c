"""Accepted baselines of sets and production series, and the acceptance of a finding."""

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
from monitor.domain.alert import Alert
from monitor.domain.finding import SEVERITY_GATE, Finding, ProductionSeries, ReadSource, Verdict
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
    """Accept a finding: the baseline of the set starts at its onset, and the open alerts of the set resolve. 201, or
    200 if already accepted.
    """
    order = write.parse(AcceptFinding)
    return write_once(context, write, lambda tx: _accepted(context, tx, order, sender.name))


def _accepted(context: ApiContext, tx: Tx, order: AcceptFinding, who: str) -> tuple[int, BaselineItem]:
    accepted = findings.get(tx, order.finding_id)
    if accepted is None:
        raise missing("finding", order.finding_id, "findings")
    if isinstance(accepted.subject, ProductionSeries):
        return _accepted_series(context, tx, accepted, accepted.subject, order.reason, who)
    if isinstance(accepted.subject, ReadSource):
        raise Conflict(f"finding {accepted.id!r} is about {accepted.subject.name}: it ends when the source works again")
    alert = _open_alert(tx, accepted)
    source = _with_onset(accepted, findings.get(tx, alert.finding_id) if alert else None)
    known = baselines.of_finding(tx, source.id)
    if known is not None:
        return 200, encode_finding.baseline(known)
    first = runs.get(tx, onset_run(source))
    if first is None or first.finished_at is None:
        raise Conflict(f"run {onset_run(source)!r}, where the change of {accepted.id!r} began, is no longer stored")
    now = context.clock.now()
    baseline = accepted_baseline(
        source, first.finished_at, baseline_id=new_id("baseline", now), who=who, reason=order.reason, now=now
    )
    end = accepted_finding(accepted, baseline, finding_id=new_id("finding", now), at=now) if alert else None
    baselines.accept(tx, baseline, end)
    for other in _open_alerts_of_set(tx, accepted):
        newest = None if other == alert else findings.get(tx, other.last_finding_id)
        if newest is not None:
            findings.insert(tx, accepted_finding(newest, baseline, finding_id=new_id("finding", now), at=now))
    return 201, encode_finding.baseline(baseline)


def _open_alert(tx: Tx, accepted: Finding) -> Alert | None:
    """Return the open alert that a finding on a set belongs to."""
    deployment, set_name = accepted.deployment, accepted.replay.set_name
    if accepted.metric is not None:
        return alerts.open_of_metrics(tx, deployment, set_name).get(accepted.metric)
    open_of = alerts.open_of_gate if accepted.signal == SEVERITY_GATE else alerts.open_of_set
    return open_of(tx, deployment, set_name)


def _open_alerts_of_set(tx: Tx, accepted: Finding) -> list[Alert]:
    """Return the open alerts of the set: about its deciding verdict, the severity gate, and its watched metrics."""
    deployment, set_name = accepted.deployment, accepted.replay.set_name
    two = (alerts.open_of_set(tx, deployment, set_name), alerts.open_of_gate(tx, deployment, set_name))
    watched = alerts.open_of_metrics(tx, deployment, set_name).values()
    return [*(alert for alert in two if alert is not None), *watched]


def _accepted_series(  # noqa: PLR0917 - as `_accepted`, with what was found
    context: ApiContext, tx: Tx, accepted: Finding, subject: ProductionSeries, reason: str, who: str
) -> tuple[int, BaselineItem]:
    """Return the baseline of an accepted production finding. Input drift cannot be accepted."""
    alert = alerts.open_of_series(tx, accepted.deployment).get(subject.series)
    known = baselines.of_finding(tx, accepted.id)
    if known is not None:
        return 200, encode_finding.baseline(known)
    now = context.clock.now()
    baseline = accepted_series_baseline(accepted, baseline_id=new_id("baseline", now), who=who, reason=reason, now=now)
    if baseline is None or accepted.verdict not in {Verdict.REGRESSION, Verdict.IMPROVEMENT}:
        raise _nothing_to_accept(accepted)
    end = accepted_finding(accepted, baseline, finding_id=new_id("finding", now), at=now) if alert else None
    baselines.accept(tx, baseline, end)
    return 201, encode_finding.baseline(baseline)


def _with_onset(accepted: Finding, opening: Finding | None) -> Finding:
    """Return the finding with the onset. A later night of an open alert only confirms that the drop continues."""
    if accepted.evidence is not None and accepted.evidence.onset_run is not None:
        return accepted
    if accepted.verdict not in {Verdict.REGRESSION, Verdict.IMPROVEMENT}:
        raise _nothing_to_accept(accepted)
    return opening if opening is not None and accepted.verdict is Verdict.REGRESSION else accepted


def _nothing_to_accept(finding: Finding) -> Unprocessable:
    return Unprocessable(f"finding {finding.id!r} has the verdict {finding.verdict.value}: there is nothing to accept")
