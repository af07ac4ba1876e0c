from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from monitor.domain.interaction import Interaction, Origin, Status
from monitor.domain.interaction_filter import EVERY_INTERACTION, InteractionFilter
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback, interactions
from monitor.store.traffic.interaction_search import Found, search
from monitor.store.traffic.search_windows import BUDGET_S, GROWTH, LONGEST_FIRST, Window, first_window, next_window
from tests.store.build import assistant, at, interaction, user
from tests.store.build import feedback as signal

DAY = timedelta(days=1)


def still() -> float:
    return 0.0


def ticking(step_s: float) -> Callable[[], float]:
    """Return a clock that moves by `step_s` whenever it is read."""
    seconds = iter(range(1_000_000))
    return lambda: next(seconds) * step_s


def ids(tx: Tx, wanted: InteractionFilter = EVERY_INTERACTION) -> list[str]:
    return [item.id for item in search(tx, PageQuery(limit=100), wanted, still).items]


def walk(tx: Tx, limit: int, wanted: InteractionFilter, clock: Callable[[], float]) -> tuple[list[str], list[Found]]:
    pages: list[Found] = []
    cursor: str | None = None
    while not pages or cursor is not None:
        pages.append(search(tx, PageQuery(limit=limit, cursor=cursor), wanted, clock))
        cursor = pages[-1].next_cursor
    return [item.id for page in pages for item in page.items], pages


def calls(*days: int) -> list[Interaction]:
    return [interaction(f"i{day:04d}", started_at=at(0) - day * DAY) for day in days]


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
@pytest.mark.parametrize("step_s", [0.0, 0.02, 1.0])
def test_pages_show_every_call_once_newest_first_however_slow_the_reads_are(tx: Tx, limit: int, step_s: float) -> None:
    interactions.insert(tx, [interaction(f"i{n}", started_at=at(600 * (n // 3))) for n in range(30)])
    found, _ = walk(tx, limit, EVERY_INTERACTION, ticking(step_s))
    assert found == [f"i{n}" for n in sorted(range(30), key=lambda n: (n // 3, f"i{n}"), reverse=True)]


def test_a_slow_search_returns_what_it_has_and_how_far_it_got(tx: Tx) -> None:
    interactions.insert(tx, calls(0, 1, 400))
    page = search(tx, PageQuery(limit=10), EVERY_INTERACTION, ticking(1.0))
    assert [item.id for item in page.items] == ["i0000"]
    assert page.next_cursor is not None
    assert page.searched_to is not None
    assert at(0) - DAY < page.searched_to < at(0)
    found, pages = walk(tx, 10, EVERY_INTERACTION, ticking(0.05))
    assert found == ["i0000", "i0001", "i0400"]
    assert pages[-1].searched_to is None
    assert len(pages) < 20  # windows keep their width from page to page


def test_a_page_without_a_call_may_have_a_cursor_and_the_search_ends(tx: Tx) -> None:
    interactions.insert(tx, calls(*range(3)))
    found, pages = walk(tx, 10, InteractionFilter(text="no such words"), ticking(0.1))
    assert found == []
    assert len(pages) > 1
    assert (pages[-1].next_cursor, pages[-1].searched_to) == (None, None)


def test_a_search_without_stored_calls_is_complete(tx: Tx) -> None:
    assert search(tx, PageQuery(), EVERY_INTERACTION, still) == Found(items=[], next_cursor=None, searched_to=None)


def test_a_search_outside_of_the_stored_time_is_complete(tx: Tx) -> None:
    interactions.insert(tx, calls(0))
    query = PageQuery(since=at(0) - 9 * DAY, until=at(0) - 8 * DAY)
    assert search(tx, query, EVERY_INTERACTION, still) == Found(items=[], next_cursor=None, searched_to=None)


def test_text_is_found_in_the_input_and_the_output_in_any_case_of_letters(tx: Tx) -> None:
    interactions.insert(
        tx,
        [
            interaction("asked", input_messages=(user("Wo ist meine STRASSE?"),), started_at=at(1)),
            interaction("answered", output_messages=(assistant("In der Straße, 100 % sicher."),), started_at=at(2)),
            interaction("Ärger", input_messages=(user("ÄRGER"),), started_at=at(3)),
        ],
    )
    assert ids(tx, InteractionFilter(text="strasse")) == ["asked"]
    assert ids(tx, InteractionFilter(text="STRAßE")) == ["answered"]
    assert ids(tx, InteractionFilter(text="ärger")) == ["Ärger"]
    assert ids(tx, InteractionFilter(text="100 %")) == ["answered"]
    assert ids(tx, InteractionFilter(text="_")) == []


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (InteractionFilter(version="new"), ["versioned"]),
        (InteractionFilter(user="user:4"), ["personal"]),
        (InteractionFilter(user="4", user_hash="user:4"), ["personal"]),
        (InteractionFilter(category="refunds"), ["routed"]),
        (InteractionFilter(trace_id="t"), ["traced"]),
        (InteractionFilter(conversation_id="c"), ["talked"]),
        (InteractionFilter(status="error"), ["failed"]),
        (InteractionFilter(error_class="timeout"), ["failed"]),
        (InteractionFilter(refused=True), ["refused"]),
        (InteractionFilter(feedback=True), ["rated", "corrected"]),
        (InteractionFilter(feedback_kind="rating"), ["rated"]),
        (InteractionFilter(corrected=True), ["corrected"]),
        (InteractionFilter(corrected=True, feedback_kind="rating"), []),
    ],
)
def test_a_filter_returns_the_matching_calls(tx: Tx, wanted: InteractionFilter, expected: list[str]) -> None:
    furnish(tx)
    assert ids(tx, wanted) == expected


def test_calls_without_feedback_or_correction_and_traffic_alone(tx: Tx) -> None:
    furnish(tx)
    everything = set(ids(tx))
    assert set(ids(tx, InteractionFilter(feedback=False))) == everything - {"rated", "corrected"}
    assert set(ids(tx, InteractionFilter(corrected=False))) == everything - {"corrected"}
    assert set(ids(tx, InteractionFilter(traffic=True))) == everything - {"replayed", "copy"}


def furnish(tx: Tx) -> None:
    rows: dict[str, dict[str, Any]] = {
        "versioned": {"identity": "new"},
        "personal": {"user_id": "user:4"},
        "routed": {"category": "refunds"},
        "traced": {"trace_id": "t"},
        "talked": {"conversation_id": "c"},
        "failed": {"status": Status.ERROR, "error_class": "timeout"},
        "refused": {"output_messages": (assistant("I'm sorry, but I can't help with that."),)},
        "rated": {},
        "corrected": {},
        "replayed": {"origin": Origin.REPLAY},
        "copy": {"duplicate_of": "rated"},
    }
    absent = ("user_id", "category", "trace_id", "conversation_id")
    plain: dict[str, Any] = {"identity": "old", **dict.fromkeys(absent)}
    interactions.insert(
        tx,
        [
            interaction(name, **(plain | changes | {"started_at": at(-n)}))
            for n, (name, changes) in enumerate(rows.items())
        ],
    )
    feedback.insert(
        tx,
        [
            signal("f1", kind="rating", is_correction=False, linked_interaction_id="rated"),
            signal("f2", kind="edit", is_correction=True, linked_interaction_id="corrected"),
            signal("f3", kind="edit", is_correction=True, linked_interaction_id=None),
        ],
    )


def test_the_first_window_is_short_where_calls_are_dense_or_a_clock_was_wrong() -> None:
    low, high = at(0) - 60 * DAY, at(0)
    dense = first_window(low, high, 100_000_000, floor=low, high=high)
    assert (dense.high, dense.width) == (high, 60 * DAY * 20_000 / 100_000_000)
    ancient = first_window(at(0) - 20_000 * DAY, high, 10_000_000, floor=low, high=high)
    assert ancient.width == LONGEST_FIRST


def test_windows_grow_while_time_is_left_and_never_pass_the_floor() -> None:
    floor = at(0) - 400 * DAY
    window = Window(low=at(0) - DAY, high=at(0))
    fast = next_window(window, took_s=0.001, spent_s=0.001, floor=floor)
    assert fast is not None
    assert (fast.high, fast.width) == (window.low, GROWTH * DAY)
    slow = next_window(window, took_s=0.07, spent_s=0.09, floor=floor)
    assert slow is not None
    assert slow.width < DAY
    assert next_window(window, took_s=BUDGET_S, spent_s=BUDGET_S, floor=floor) is None
    last = next_window(window, took_s=0.001, spent_s=0.001, floor=at(0) - 2 * DAY)
    assert last is not None
    assert last.low == at(0) - 2 * DAY
    assert next_window(last, took_s=0.001, spent_s=0.002, floor=at(0) - 2 * DAY) is None
