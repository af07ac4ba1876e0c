"""Reads the replays of every configured set from the tables, for the rules about replays."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from monitor.alerting.checks.condition import Condition
from monitor.alerting.checks.late import RULE as LATE
from monitor.alerting.checks.late import OpenReplay, late_condition
from monitor.alerting.checks.replays import RULES, replay_conditions
from monitor.domain.calendar.pauses import Pause
from monitor.domain.evalset import SetKind
from monitor.domain.future_instant import TOLERANCE
from monitor.domain.policy import DeploymentPolicy, Policy, SchedulePolicy, SetPolicy
from monitor.domain.replay_health import EndedRun, Expected, Replays, ReplayState
from monitor.schedules.due import due_instant, is_held, next_instant
from monitor.store.engine.database import Store, Tx
from monitor.store.runs import pauses, replay_history


class ReplayCheck:
    """Recomputes the conditions from the tables each time, so a restart changes nothing."""

    rules = (*RULES, LATE)
    every_s = 15.0
    follows_runs = True

    def __init__(self, store: Store, policy: Policy) -> None:
        self._store, self._policy = store, policy

    def conditions(self, now: datetime) -> Iterator[Condition]:
        for deployment in self._policy.deployments.values():
            for name in deployment.sets:
                with self._store.read() as tx:
                    replays = self._replays(tx, deployment, self._policy.sets[name], now)
                    late = self._late(tx, replays, now)
                yield from replay_conditions(replays, self._policy.alerts.replays, now)
                yield late

    def _late(self, tx: Tx, replays: Replays, now: datetime) -> Condition:
        run = None
        if replays.open is not None:
            run = OpenReplay(
                id=replays.open.id,
                due_since=replays.open.due_since,
                started_at=replays.open.started_at,
                waits=replays.open.waits,
                busy=replay_history.is_busy(tx, replays.deployment),
                durations_s=replay_history.durations_s(tx, replays.deployment, replays.set_name),
            )
        return late_condition(replays.deployment, replays.set_name, run, self._policy.alerts.checks, now)

    def _replays(self, tx: Tx, deployment: DeploymentPolicy, eval_set: SetPolicy, now: datetime) -> Replays:
        ended = replay_history.ended(
            tx, deployment.name, eval_set.name, min_cases=deployment.drift.min_cases, now=now + TOLERANCE
        )
        filled = replay_history.first_filled_at(tx, eval_set.name)
        schedules = [s for s in self._policy.schedules.values() if deployment.name in s.deployments]
        seen = {s.name: replay_history.handled(tx, s.name, deployment.name, now) for s in schedules}
        paused = pauses.of_schedules(tx)
        begun = [one for one in seen.values() if one is not None]
        empty_since = None
        if filled is None and begun:
            first = min(one.first for one in begun)
            empty_since = max(first, replay_history.emptied_at(tx, eval_set.name) or first)
        handled_at = max((one.handled_at for one in begun), default=None)
        return Replays(
            deployment=deployment.name,
            set_name=eval_set.name,
            dynamic=eval_set.kind is SetKind.DYNAMIC,
            ended=ended,
            open=replay_history.open_run(tx, deployment.name, eval_set.name, handled_at),
            expected=tuple(
                _expected(schedule, deployment.name, one, ended, filled, paused.get(schedule.name, ()), now)
                for schedule in schedules
                if (one := seen[schedule.name])
            ),
            empty_since=empty_since,
        )


def _expected(  # noqa: PLR0917 - the history of one schedule
    schedule: SchedulePolicy,
    deployment: str,
    seen: replay_history.Handled,
    ended: Iterable[EndedRun],
    filled: datetime | None,
    paused: Sequence[Pause],
    now: datetime,
) -> Expected:
    """Return the expected instants. A failed run that a person started belongs to no instant. The time of a pause, and
    of a blackout that skips its instants, has none.
    """
    counted = (run.planned_at for run in ended if not run.by_hand or run.state is ReplayState.GOOD)
    after = max(at for at in (seen.first, filled, *counted) if at is not None and at <= now)
    missed = next_instant(schedule, after, deployment=deployment, pauses=paused)
    return Expected(
        schedule=schedule.name,
        missed=missed if missed is not None and missed <= now else None,
        due=due_instant(schedule, seen.last, now, deployment=deployment, pauses=paused) is not None,
        held=is_held(schedule, now, paused),
        handled=missed is not None and seen.last >= missed,
    )
