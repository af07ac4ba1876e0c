"""Stores the end of a run: its version, its manifest, and its parts when the version changed during the run."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from monitor.changes.detected import Detected, record
from monitor.changes.fingerprint import Identity, identity_of
from monitor.changes.parts import Part, parts_of
from monitor.changes.replay_version import version_of_replay
from monitor.domain.policy import DeploymentPolicy
from monitor.domain.run import Run, RunState, new_id
from monitor.domain.version import Change, Version
from monitor.store.engine.database import Tx
from monitor.store.judging import spending as judge_spending
from monitor.store.runs import outcomes, runs
from monitor.store.runs.split_run import finish_rest, insert_part, move
from monitor.store.traffic import versions
from replay.evalsets.sealing import Sealer
from replay.manifest import build_manifest, to_json
from replay.run.runner import RunReport
from replay.run.totals import Tally
from replay.scorers.base import Scorer
from replay.scorers.code import sandbox_of
from replay.types import TargetConditions

_CHANGES_SHOW = ("model", "system_fingerprint")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """The inputs for storing a replay that is over."""

    report: RunReport
    conditions: TargetConditions
    scorers: Sequence[Scorer]
    concurrency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """The result of one run. `stopped_by` and `cases_attempted` as in `Run`; `details` go into its manifest only."""

    run: Run
    tally: Tally
    version: str | None
    at: datetime
    details: dict[str, Any]
    stopped_by: str | None = None
    cases_attempted: int | None = None


class RunFinalizer:
    """Stores the end of one run, inside one transaction.

    When a run is split, its outcomes move first, and all other rows are deferred: a lake then stores both together.
    """

    def __init__(
        self,
        tx: Tx,
        run: Run,
        result: ReplayResult,
        policy: DeploymentPolicy,
        *,
        sealer: Sealer | None,
        started_at: datetime,
        now: datetime,
        code_version: str,
    ) -> None:
        self._tx, self._run, self._result, self._policy = tx, run, result, policy
        self._sealer, self._started_at, self._now, self._code_version = sealer, started_at, now, code_version
        # Versions and changes of this transaction are not stored before its outcomes, so it does not read them again.
        self._versions: list[Version] = []
        self._changes: list[Change] = []

    def write(self) -> list[FinishedRun]:
        """Store the run as it ended, and return it. A run that met more than one version becomes several runs, the
        oldest first.
        """
        parts = self._parts()
        if len(parts) < 2:
            ending = self._whole()
            self._finish(ending)
            return [ending]
        endings = self._split(parts)
        for ending in endings:
            self._finish_part(ending)
        return endings

    def _parts(self) -> list[Part]:
        reported = self._result.report.tally.reported
        if not any(len(reported.get(field, {})) > 1 for field in _CHANGES_SHOW):
            return []
        answered = [outcome for outcome, _ in outcomes.outcome_summaries(self._tx, self._run.id)]
        return parts_of(answered, self._identity, self._policy.changes)

    def _whole(self) -> FinishedRun:
        report = self._result.report
        models = report.tally.reported.get("model", {})
        identity = self._identity(next(iter(models), None))
        noted = self._note(identity, models, self._run.started_at or self._now)
        if noted is not None:
            runs.set_change(self._tx, self._run.id, noted.id)  # this run is its replay: no second one is planned
        return FinishedRun(
            run=self._run,
            tally=report.tally,
            version=identity.digest if identity else None,
            at=self._now,
            details=_partial(report),
            stopped_by=report.stopped_by,
            cases_attempted=None if report.stopped_by is None else outcomes.cases_attempted(self._tx, self._run.id),
        )

    def _split(self, parts: Sequence[Part]) -> list[FinishedRun]:
        """Return one run for each part. The part with the most replies keeps the id.

        Cases are replayed in random order, so each part is a random sample of the set. A part that is too small to
        judge does not count as a night.
        """
        most = max(range(len(parts)), key=lambda place: (parts[place].replies, place))
        scored = {_key(outcome): has for outcome, has in outcomes.outcome_summaries(self._tx, self._run.id)}
        owners = [self._run.id if place == most else new_id("run", self._now) for place in range(len(parts))]
        endings = []
        for place, part in enumerate(parts):
            at = self._now - timedelta(microseconds=len(parts) - 1 - place)  # their order is that of the parts
            enough = part.cases >= self._policy.drift.min_cases
            known = part.replies >= self._policy.changes.min_interactions or place == most
            noted = self._note_part(part) if known else None
            run = replace(self._run, id=owners[place], change_id=self._change_of(parts, place, noted, enough=enough))
            if place != most:
                samples = [_key(outcome) for outcome in part.outcomes]
                move(self._tx, self._run.id, run.id, samples, self._sealer)
            endings.append(
                FinishedRun(
                    run=run,
                    tally=_tally(part, scored),
                    version=part.identity.digest if part.identity and known else None,
                    at=at,
                    details={**_partial(self._result.report), "split": {"part": place + 1, "of": owners}},
                    cases_attempted=part.cases if enough else None,
                )
            )
        return endings

    def _change_of(self, parts: Sequence[Part], place: int, noted: Change | None, *, enough: bool) -> str | None:
        """Return the change that the part evaluates.

        A new version with too few replies to judge evaluates no change: the whole set is replayed for its change. A run
        that was planned for a change evaluates that change, whatever versions it met.
        """
        if noted is not None and enough:
            return noted.id
        planned = None if self._run.change_id is None else versions.get_change(self._tx, self._run.change_id)
        if planned is None:
            return None
        reached = [n for n, part in enumerate(parts) if part.identity and part.identity.digest == planned.to_version]
        return planned.id if place == (reached or [len(parts) - 1])[-1] else None

    def _note_part(self, part: Part) -> Change | None:
        if part.identity is None or part.shift is None:
            return self._note(part.identity, part.models, part.began_at)
        own = part.identity.digest
        evidence = {**part.shift, "replay": self._run.id}
        return self._record(Detected(to_version=own, from_version=own, at=part.began_at, evidence=evidence))

    def _note(self, identity: Identity | None, models: Any, at: datetime) -> Change | None:
        """Store a version that is not known yet as an observed change."""
        if identity is None:
            return None
        found = version_of_replay(
            identity,
            known=[*versions.versions(self._tx, self._run.deployment), *self._versions],
            current=self._current_version(),
            at=at,
            run_id=self._run.id,
            models=models,
        )
        return None if found is None else self._record(found)

    def _current_version(self) -> str | None:
        if self._changes:
            return self._changes[-1].to_version
        if self._versions:
            return self._versions[-1].id
        return versions.current_version(self._tx, self._run.deployment)

    def _record(self, found: Detected) -> Change | None:
        at = self._now + timedelta(microseconds=len(self._changes))
        rows = record([found], deployment=self._run.deployment, noted_at=at, new_id=lambda: new_id("change", at))
        for version in rows.versions:
            versions.insert_seen(self._tx, version)
        for change in rows.changes:
            versions.insert_noted(self._tx, change)
        self._versions += rows.versions
        self._changes += rows.changes
        return rows.changes[-1] if rows.changes else None

    def _finish(self, ending: FinishedRun) -> None:
        runs.finish(
            self._tx,
            ending.run.id,
            RunState.COMPLETE,
            ending.version,
            ending.at,
            self._manifest(ending),
            None,
            stopped_by=ending.stopped_by,
            cases_attempted=ending.cases_attempted,
        )

    def _finish_part(self, ending: FinishedRun) -> None:
        run = replace(
            ending.run,
            state=RunState.COMPLETE,
            started_at=self._started_at,
            finished_at=ending.at,
            version=ending.version,
            manifest=self._manifest(ending),
            stopped_by=ending.stopped_by,
            cases_attempted=ending.cases_attempted,
            error=None,
            retry_at=None,
            crashes=0,
        )
        if run.id == self._run.id:
            finish_rest(self._tx, run)
        else:
            insert_part(self._tx, run)

    def _manifest(self, ending: FinishedRun) -> dict[str, Any]:
        run, tally = ending.run, ending.tally
        fresh = outcomes.fresh_samples_scored(self._tx, run.id, run.samples)
        judges = {name: asdict(spent) for name, spent in judge_spending.of_run(self._tx, run.id).items()}
        sandbox = sandbox_of(self._result.scorers)
        manifest = build_manifest(
            run_id=run.id,
            set_name=run.set_name,
            set_kind=run.set_kind,
            revision=run.revision,
            cases=run.cases,
            samples=run.samples,
            target=self._result.conditions,
            scorers=self._result.scorers,
            tally=tally,
            started_at=self._started_at,
            finished_at=ending.at,
            concurrency=self._result.concurrency,
            code_version=self._code_version,
            extra={
                "requests": tally.requests,
                **({"repeats": run.repeats} if run.repeats else {}),
                **({"fresh_scored": fresh} if fresh else {}),
                **({"judges": judges} if judges else {}),
                **({"sandbox": sandbox} if sandbox else {}),
                **ending.details,
            },
        )
        return to_json(manifest)

    def _identity(self, model: str | None) -> Identity | None:
        conditions = self._result.conditions
        return identity_of(
            self._policy.changes.identity,
            response_model=model,
            request_model=conditions.model,
            prompt_id=conditions.prompt_id,
            prompt_version=conditions.prompt_version,
            prompt_hash=conditions.system_prompt_hash or conditions.template_hash,
        )


def _partial(report: RunReport) -> dict[str, Any]:
    return {} if report.stopped_by is None else {"partial": f"cut off by its budget of {report.stopped_by}"}


def _tally(part: Part, scored: dict[tuple[str, int], bool]) -> Tally:
    tally = Tally()
    for outcome in part.outcomes:
        tally.add_outcome(outcome, scored=scored[_key(outcome)])
    return tally


def _key(outcome: Any) -> tuple[str, int]:
    return outcome.case_id, outcome.sample
