"""Checks corrections: whether a reviewer or a rule accepts them as cases of a dynamic set."""

from collections.abc import Mapping

from monitor.api.schema import DeploymentItem
from monitor.cli.checks.line import Line, ok, warn
from monitor.cli.connection.client import Api
from monitor.config.tree import Config
from monitor.domain.evalset import SetKind
from monitor.domain.review import CandidateCounts
from monitor.errors import DriftdError
from monitor.store.engine.transaction import Tx
from monitor.store.sets import candidates

_MANY = 1_000_000


def check_in_file(config: Config, tx: Tx) -> list[Line]:
    return check_counts(config, candidates.counts(tx))


def check_without_file(config: Config) -> list[Line]:
    return check_counts(config, {})


def check_at_daemon(config: Config, api: Api) -> list[Line]:
    try:
        listed = api.list("/api/v1/deployments", DeploymentItem, limit=_MANY).items
    except DriftdError:
        return []  # the line about the sets reports the error
    return check_counts(config, {item.name: CandidateCounts(**item.candidates.model_dump()) for item in listed})


def check_counts(config: Config, counts: Mapping[str, CandidateCounts]) -> list[Line]:
    """Return one line for each deployment with a dynamic set."""
    return [
        _line(name, dynamic, config.sets[dynamic].auto_accept, counts.get(name, CandidateCounts()))
        for name, section in config.deployments.items()
        for dynamic in [each for each in section.sets if config.sets[each].kind is SetKind.DYNAMIC][:1]
    ]


def _line(deployment: str, set_name: str, accepts: bool, count: CandidateCounts) -> Line:
    check = f"corrections {deployment}"
    review = f"`driftd candidates list -d {deployment}` or the dashboard page Review"
    if accepts:
        left = count.proposed - count.ready
        rest = f"; {left} have no expectation and need an edit: {review}" if left else ""
        return ok(check, f"enter {set_name} automatically (sets.{set_name}.auto_accept){rest}")
    if count.proposed:
        verb, them = ("waits", "it") if count.proposed == 1 else ("wait", "them")
        return warn(
            check,
            f"{_count(count.proposed)} {verb} for a review; until then {set_name} does not grow; review {them} with "
            f"{review}, or set sets.{set_name}.auto_accept",
        )
    already = f"{count.accepted} accepted so far; " if count.accepted else ""
    return ok(check, f"{already}each needs a review before it enters {set_name}: {review}")


def _count(n: int) -> str:
    return "1 candidate" if n == 1 else f"{n} candidates"
