"""The finding of a search for leaks that a person started."""

from datetime import datetime

from monitor.domain.finding import Finding, ReadSource, Verdict


def leak_subject(set_name: str, revision: str) -> str:
    """Return the subject of SetLeaked: the set and its revision."""
    return f"set {set_name} revision {revision[:12]}"


def leak_finding(  # noqa: PLR0917 - the columns of the finding
    deployment: str, set_name: str, revision: str, matches: int, finding_id: str, now: datetime
) -> Finding:
    """Return the finding of a search that a person started, with `matches` matches."""
    return Finding(
        id=finding_id,
        deployment=deployment,
        at=now,
        signal="source",
        segment="overall",
        subject=ReadSource(source=leak_subject(set_name, revision)),
        verdict=Verdict.REGRESSION,
        severity="critical",
        reason=(
            f"a search found {matches} copies or canaries of {set_name} outside of the set; "
            f"repeat it with `driftd sets leakcheck {set_name}` and replace the cases"
        ),
        alpha=0.0,
        rule="SetLeaked",
    )
