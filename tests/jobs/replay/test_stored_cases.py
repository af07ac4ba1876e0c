from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor.clock import SystemClock
from monitor.domain.evalset import SetKind
from monitor.jobs.replay.stored_cases import AT_ONCE, StoredCases
from monitor.store.engine.database import Store
from monitor.store.sets import sealed_sets
from replay.evalsets.sealing import Sealer
from replay.run.case_order import fair_order
from replay.types import Case, Message, Severity

SEALER = Sealer(b"k" * 32)


def case(number: int) -> Case:
    severity = Severity.HIGH if number % 3 else Severity.LOW
    return Case(
        id=f"c{number}",
        input=(Message(role="user", content=f"Is {number} prime?"),),
        category=f"of {number % 7}",
        severity=severity,
    )


@pytest.mark.parametrize("sealer", [None, SEALER], ids=["open", "sealed"])
@pytest.mark.parametrize("count", [1, AT_ONCE, 2 * AT_ONCE + 1])
def test_cases_come_one_by_one_in_the_order_of_all(tmp_path: Path, count: int, sealer: Sealer | None) -> None:
    cases = [case(number) for number in range(count)]
    store = Store.open(tmp_path / "driftd.duckdb", clock=SystemClock())
    with store.write() as tx:
        revision, _ = sealed_sets.write_revision(
            tx,
            name="primes",
            kind=SetKind.DYNAMIC if sealer is None else SetKind.FROZEN,
            cases=cases,
            sealer=sealer,
            now=datetime.now(UTC),
            origin="",
        )
    with store.read() as tx:
        keys = fair_order(sealed_sets.case_keys(tx, "primes", revision.revision), "run-1")
    found = StoredCases(store, "primes", revision.revision, sealer, (key.position for key in keys))
    assert len(found) == count
    assert list(found) == fair_order(cases, "run-1")
    assert list(found) == list(found)
    assert next(iter(found)) in found
    store.close()
