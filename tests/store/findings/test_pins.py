from typing import Any

from monitor.domain.baseline import Pin
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import pins
from monitor.store.runs import nights, runs
from tests.store.build import at, complete_run


def pinned(name: str, minute: float, **fields: Any) -> Pin:
    known: dict[str, Any] = {"deployment": "support", "set_name": "primes", "run_id": "r2", "first_run": "r1"}
    return Pin(
        id=name, counts_from=at(1), counts_to=at(2), at=at(minute), who="ana", reason="launch", **{**known, **fields}
    )


def test_a_set_is_held_against_one_run_and_what_was_pinned_before_stays_listed(tx: Tx) -> None:
    assert pins.current(tx, "support", "primes") is None
    pins.insert(tx, pinned("p1", 10))
    pins.insert(tx, pinned("p2", 20, set_name="other"))
    pins.insert(tx, pinned("p3", 30))
    assert pins.current(tx, "support", "primes") == pinned("p3", 30)
    assert pins.current(tx, "support", "other") == pinned("p2", 20, set_name="other")
    listed = {pin.id: (pin.ended_at, pin.ended_by) for pin in pins.page(tx, PageQuery()).items}
    assert listed == {"p1": (at(30), "ana"), "p2": (None, None), "p3": (None, None)}


def test_a_pin_ends_once(tx: Tx) -> None:
    pins.insert(tx, pinned("p1", 10))
    assert pins.end(tx, "support", "primes", at=at(11), who="bo")
    assert not pins.end(tx, "support", "primes", at=at(12), who="bo")
    assert pins.current(tx, "support", "primes") is None
    assert [pin.ended_by for pin in pins.page(tx, PageQuery()).items] == ["bo"]


def test_the_pinned_nights_and_those_after_them_are_read_whatever_was_accepted(tx: Tx) -> None:
    for number in range(6):
        runs.insert(tx, complete_run(f"r{number}", at(number)))
    found = nights.of_pinned(tx, pinned("p", 10), until_run="r4")
    assert [night.run_id for night in found.nights] == ["r1", "r2", "r3", "r4"]
