"""Another version seems to answer than the one that is named: a change that the replies show, and nothing else."""

from datetime import datetime

from monitor.domain.finding import Finding
from monitor.domain.version import Change, ChangeKind, How


def change_of_stranger(finding: Finding, version: str, *, change_id: str, now: datetime) -> Change:
    """What is written down of it. The version's name held, so that it leads from the version to itself."""
    evidence = finding.evidence
    assert evidence is not None, "a stranger is told by nights"
    return Change(
        id=change_id,
        deployment=finding.deployment,
        at=evidence.onset_at or now,
        noted_at=now,
        kind=ChangeKind.UNKNOWN,
        how=How.OBSERVED,
        from_version=version,
        to_version=version,
        evidence={"behaviour": finding.id, "replay": finding.replay.candidate_run, "since_run": evidence.onset_run},
    )
