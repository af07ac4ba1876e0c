"""Adds the comparison with the pinned run to a decision."""

from dataclasses import replace

from monitor.domain.baseline import AcceptedBaseline, Pin
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import Run
from monitor.drift.detect.decision import Decision
from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.detect.pinned_run import pinned_run_evidence
from monitor.store.engine.transaction import Tx
from monitor.store.runs import nights


def with_pinned_run_evidence(  # noqa: PLR0917 - what is known, in the order in which it became known
    tx: Tx, run: Run, pin: Pin, accepted: AcceptedBaseline | None, decision: Decision, policy: DriftPolicy
) -> Decision:
    """Return the decision with the comparison of this night and the pinned nights.

    The pinned nights are read again, because an accepted baseline hides them from the detector. `policy` is the policy
    without a pin.
    """
    known = build_nights(nights.of_pinned(tx, pin, until_run=run.id), policy)
    accepted_at = accepted.at if accepted is not None else None
    pinned_run = pinned_run_evidence(known, pin, policy, accepted_at=accepted_at)
    return replace(decision, evidence=replace(decision.evidence, pinned_run=pinned_run))
