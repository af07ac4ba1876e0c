"""Which private sets may be sent where: the labels of a set against what a target is cleared for."""

from enum import StrEnum

from monitor.domain.policy import DeploymentPolicy, SetPolicy


class DataLabel(StrEnum):
    """What a set holds. `public` needs no clearance; a set without labels says nothing, and is held back nowhere."""

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"
    PII = "pii"


def refusal(deployment: DeploymentPolicy, eval_set: SetPolicy) -> str | None:
    """Why the set must not be replayed against the deployment's target; None when it may."""
    needed = [label for label in eval_set.labels if label != DataLabel.PUBLIC]
    missing = [label for label in needed if label not in deployment.cleared_for]
    if not missing:
        return None
    return (
        f"eval set {eval_set.name!r} is labelled {' and '.join(missing)}, for which target {deployment.target!r} of "
        f"deployment {deployment.name!r} is not cleared; "
        f"add it to targets.{deployment.target}.cleared_for, or replay the set elsewhere"
    )
