"""The combined diagnosis of the frozen and the dynamic sets of a deployment."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import ApiContext, Context
from monitor.api.listing import Name, PageStartQuery, as_list, slice_at
from monitor.api.schema import CorrectionsItem, ListPage, SetDiagnosisItem, SetVerdictItem
from monitor.domain.evalset import SetKind
from monitor.domain.finding import Finding
from monitor.domain.policy import DeploymentPolicy
from monitor.drift.judge.frozen_vs_dynamic import combined_verdict, diagnose_sets
from monitor.feedback.correction_rate import CorrectionChange, correction_change
from monitor.store.engine.database import Tx
from monitor.store.findings import findings
from monitor.store.traffic import feedback

DAYS, DAYS_BEFORE = 7, 28  # of corrections: whole weeks, because weekends differ

router = APIRouter(prefix="/api/v1/diagnoses", tags=["diagnoses"])


@router.get("", **needs(Role.READ))
def list_diagnoses(context: Context, page_start: PageStartQuery, deployment: Name = None) -> ListPage[SetDiagnosisItem]:
    """List one diagnosis for each configured deployment, by name; with `deployment`, only its own."""
    policies = [context.policy.deployments[name] for name in sorted(context.policy.deployments)]
    page = slice_at([one for one in policies if deployment in {None, one.name}], page_start)
    with context.store.read() as tx:
        changes = _corrections(tx, [policy.name for policy in page.items], context.clock.now())
        return as_list(page, lambda policy: _diagnosis(tx, context, policy, changes[policy.name]))


def _diagnosis(
    tx: Tx, context: ApiContext, policy: DeploymentPolicy, corrections: CorrectionChange | None
) -> SetDiagnosisItem:
    newest = {row.replay.set_name: row for row in findings.newest_of_sets(tx, policy.name)}
    names = {kind: [name for name in policy.sets if context.policy.sets[name].kind is kind] for kind in SetKind}
    found = {kind: [newest[name] for name in names[kind] if name in newest] for kind in SetKind}
    together = diagnose_sets(
        combined_verdict([row.verdict for row in found[SetKind.FROZEN]]),
        combined_verdict([row.verdict for row in found[SetKind.DYNAMIC]]),
        corrections_fell=corrections.fell if corrections else None,
    )
    return SetDiagnosisItem(
        deployment=policy.name,
        frozen=[_verdict(name, newest.get(name)) for name in names[SetKind.FROZEN]],
        dynamic=[_verdict(name, newest.get(name)) for name in names[SetKind.DYNAMIC]],
        diagnosis=together.diagnosis.value,
        sentence=together.sentence,
        corrections=_corrections_item(corrections) if corrections else None,
    )


def _verdict(name: str, found: Finding | None) -> SetVerdictItem:
    compared = found.comparison if found else None
    return SetVerdictItem(
        set_name=name,
        verdict=found.verdict.value if found else None,
        finding_id=found.id if found else None,
        at=found.at if found else None,
        baseline=compared.baseline if compared else None,
        candidate=compared.candidate if compared else None,
    )


def _corrections(tx: Tx, deployments: Sequence[str], now: datetime) -> dict[str, CorrectionChange | None]:
    """Compare the correction rates of complete days, by deployment; today is excluded."""
    until = now.astimezone(UTC).date()
    since = until - timedelta(days=DAYS)
    found = feedback.correction_days(tx, deployments, since - timedelta(days=DAYS_BEFORE), until)
    return {
        name: correction_change(
            [counts for day, counts in days.items() if day < since],
            [counts for day, counts in days.items() if day >= since],
        )
        for name, days in found.items()
    }


def _corrections_item(change: CorrectionChange) -> CorrectionsItem:
    return CorrectionsItem(
        days=DAYS,
        days_before=DAYS_BEFORE,
        before=change.before,
        after=change.after,
        ci_low=change.low,
        ci_high=change.high,
        fell=change.fell,
    )
