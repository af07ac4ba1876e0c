"""Imports the files that wait in the spool: uploads, and the files of watched folders."""

import logging
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from monitor.clock import Clock
from monitor.domain.result_import import UPLOAD, ImportEnd, JobState, ResultImport, StoredRun
from monitor.errors import DriftdError, Retryable
from monitor.ingest.results.bounds import excess
from monitor.ingest.results.failures import Failure, dead_letter_of
from monitor.ingest.results.progress import ImportProgress
from monitor.ingest.results.spool import Spool
from monitor.store.engine.database import Store
from monitor.store.results import imports
from monitor.store.traffic import dead_letters
from monitor.telemetry import NO_TELEMETRY, Recorder
from replay.errors import ReplayError
from replay.results.types import ToolRun

log = logging.getLogger(__name__)
_SETTINGS = {"accept-unknown": "accept_unknown", "file-time": "file_time", "scale": "scales"}
MOST_ATTEMPTS = 3  # an import that ended the process this often is not tried again
Importer = Callable[[ToolRun, ResultImport, Callable[[int, int], None]], StoredRun]


def in_settings(sentence: str, source: str) -> str:
    """Return the sentence with the settings of the source instead of the options of the command.

    >>> in_settings("give the model with --model", "nightly")
    'give the model with ingest.results.nightly.model'
    """
    sentence = re.sub(r"--time \S+", "--file-time", sentence)
    return re.sub(
        r"--(model|set|accept-unknown|file-time|primary|version|format|scale)\b",
        lambda found: f"ingest.results.{source}.{_SETTINGS.get(found[1], found[1])}",
        sentence,
    )


def _several_sets(row: ResultImport, runs: Sequence[ToolRun]) -> Failure | None:
    """Return why runs of several sets of the tool cannot become runs of one set."""
    names = sorted({run.set_name for run in runs if run.set_name is not None})
    if row.set_name is None or len(names) <= 1:
        return None
    return Failure(
        code="several_sets",
        reason=f"has runs of {len(names)} sets ({', '.join(names[:5])}), which cannot all be set {row.set_name}; leave "
        "out the set to store each under its own name",
    )


def _expected(runs: Sequence[ToolRun]) -> int:
    """Return the rows of all runs; 0 if a tool did not record them."""
    counts = [run.expected_rows for run in runs]
    return 0 if None in counts else sum(count or 0 for count in counts)


def _started(run: ToolRun) -> tuple[bool, float]:
    """Return the key that sorts runs by their time, those without one last."""
    return run.started_at is None, run.started_at.timestamp() if run.started_at is not None else 0.0


class _Failed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class ResultImportLoop:
    """Imports one after the other, the oldest first. After a kill it imports again what had not ended: runs that are
    stored already stay as they are.
    """

    name = "results"
    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        spool: Spool,
        max_bytes: int,
        import_run: Importer,
        progress: ImportProgress,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        self._store, self._clock, self._spool = store, clock, spool
        self._max_bytes, self._import_run = max_bytes, import_run
        self._progress, self._telemetry = progress, telemetry
        self._swept = False

    def step(self) -> int:
        """Import what waits, and return the number of imports."""
        with self._store.read() as tx:
            waiting = imports.open_imports(tx)
        if not self._swept:
            self._spool.sweep({row.id for row in waiting})
            self._swept = True
        for row in waiting:
            self._work(row)
        return len(waiting)

    def _work(self, row: ResultImport) -> None:
        runs: list[StoredRun] = []
        try:
            self._import(row, runs)
            end = ImportEnd(state=JobState.COMPLETE)
            failure = None
        except Retryable:
            raise
        except _Failed as error:
            failure = error.failure
        except (ReplayError, DriftdError) as error:
            failure = Failure(code=getattr(error, "code", "malformed"), reason=self._without_spool(row, str(error)))
        except Exception as error:  # noqa: BLE001 - a file from outside must not stop the daemon
            trace = "".join(traceback.format_tb(error.__traceback__))  # without the message: it may quote a text
            log.error("%s in import %s; this is a bug in driftd. Traceback:\n%s", type(error).__name__, row.id, trace)  # noqa: TRY400
            failure = Failure(
                code="internal",
                reason=f"cannot be read ({type(error).__name__}); report it with the file, or set another format",
            )
        finally:
            self._progress.forget(row.id)
        if failure is not None:
            end = ImportEnd(state=JobState.FAILED, code=failure.code, error=failure.reason)
        self._finish(row, replace(end, runs=tuple(runs), rows=sum(run.rows for run in runs)), failure)

    def _import(self, row: ResultImport, runs: list[StoredRun]) -> None:
        if row.attempts >= MOST_ATTEMPTS:
            raise _Failed(
                Failure(
                    code="repeated_crash",
                    reason=f"driftd ended {row.attempts} times during this import; it may need more memory: split it",
                )
            )
        folder = self._spool.of(row.id)
        if not folder.is_dir():
            raise _Failed(
                Failure(code="spool_lost", reason="its copy in the spool is gone; send the file again, or touch it")
            )
        with self._store.write() as tx:
            imports.start(tx, row.id, self._clock.now())
        if (failure := excess(folder, max_bytes=self._max_bytes)) is not None:
            raise _Failed(failure)
        from replay.results.table import read_runs  # imports every format, which most processes never need

        before, found = 0, list(read_runs(folder, row.format))
        if (failure := _several_sets(row, found)) is not None:
            raise _Failed(failure)
        for tool_run in sorted(found, key=_started):
            note = partial(self._note, row, before, _expected(found))
            run = self._import_run(tool_run, row, note)
            runs.append(run)
            before += run.rows
            self._telemetry.count("driftd.results.rows", run.rows, {"source": row.source})

    def _note(self, row: ResultImport, before: int, expected: int, done: int, _of_run: int) -> None:
        """Record the progress of a run after `before` rows of earlier runs of the import."""
        self._progress.note(row.id, before + done, max(expected, before + done) if expected else 0)

    def _finish(self, row: ResultImport, end: ImportEnd, failure: Failure | None) -> None:
        now = self._clock.now()
        with self._store.write() as tx:
            if failure is not None:
                dead_letters.insert(tx, [dead_letter_of(row, failure, now)])
            imports.finish(tx, row.id, end, now)
        self._spool.remove(row.id)
        self._telemetry.count("driftd.results.imports", 1, {"source": row.source, "result": end.state.value})
        if failure is None:
            log.info("import %s of %s: %d runs, %d rows", row.id, row.name, len(end.runs), end.rows)
        else:
            log.warning("import %s of %s failed: %s", row.id, row.name, failure.reason)

    def _without_spool(self, row: ResultImport, sentence: str) -> str:
        """Return the sentence with the names of the sender instead of paths in the spool."""
        folder = str(self._spool.of(row.id))
        plain = sentence.replace(f"{folder}/", "").replace(folder, row.name).removeprefix(f"{row.name}: ")
        return plain if row.source == UPLOAD else in_settings(plain, row.source)
