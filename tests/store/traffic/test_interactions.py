from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.feedback import LinkCandidate, LinkMethod
from monitor.domain.interaction import (
    ChatMessage,
    ContentState,
    CostSource,
    Document,
    FinishReason,
    Origin,
    Status,
    ToolCall,
    UsageSource,
)
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions
from tests.store.build import HandClock, assistant, at, feedback, interaction, user


def test_an_interaction_comes_back_as_it_was(tx: Tx) -> None:
    full = interaction(
        "a",
        origin=Origin.REPLAY,
        run_id="run-1",
        duration_ms=812.5,
        conversation_id="c",
        conversation_source="session.id",
        user_id="u",
        user_source="user.id",
        trace_id="t",
        span_id="s",
        parent_span_id="p",
        response_id="r",
        provider="openai",
        request_model="gpt-4",
        response_model="gpt-4-0314",
        system_fingerprint="fp_1",
        prompt_id="triage",
        prompt_version="3",
        prompt_hash="h",
        system_prompt="Answer yes or no.\n",
        input_messages=(
            user("Is 7 prime? \x00 'quoted' 日本 😀"),
            ChatMessage(role="tool", content="", tool_call_id="1"),
        ),
        output_messages=(
            ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="1", name="f", arguments='{"n":7}'),)),
        ),
        documents=(Document(id="kb", content="7 is prime 日本", score=0.5), Document()),
        finish_reason=FinishReason.STOP,
        finish_reason_raw="end_turn",
        status=Status.INCOMPLETE,
        error_class="timeout",
        error_type="openai.APITimeoutError",
        input_tokens=0,
        output_tokens=2**40,
        cached_input_tokens=0,
        reasoning_tokens=12,
        usage_source=UsageSource.EMITTED,
        cost_usd=0.25,
        cost_source=CostSource.COMPUTED,
        price_table="2026-11",
        ttft_ms=90.5,
        temperature=0.0,
        top_p=0.9,
        max_tokens=16,
        seed=-1,
        content_state=ContentState.PARTIAL,
        category="prime",
        identity="abc",
        duplicate_of="b",
        attributes={"tenant": "a", "tags": [1, 2.5, None, {"deep": True}]},
    )
    interactions.insert(tx, [full])
    assert interactions.get(tx, "a") == full
    assert interactions.page(tx, PageQuery()).items == [full]


def test_the_last_question_and_the_whole_answer_are_kept_as_texts(tx: Tx) -> None:
    asked = (user("first"), assistant("well"), user("second"))
    interactions.insert(tx, [interaction("a", input_messages=asked, output_messages=(assistant("x"), assistant("y")))])
    row = tx.one("interaction_by_id", id="a")
    assert row is not None
    assert (row["input_text"], row["output_text"]) == ("second", "x\ny")


def test_an_id_that_nobody_sent_is_none(tx: Tx) -> None:
    assert interactions.get(tx, "a") is None


def test_an_empty_batch_is_no_row(tx: Tx) -> None:
    assert interactions.insert(tx, []) == interactions.Inserted(accepted=0, duplicates=0)


def test_duplicates_inside_a_batch_and_across_batches_are_counted(tx: Tx) -> None:
    a, b, c = interaction("a"), interaction("b"), interaction("c")
    assert interactions.insert(tx, [a, b, a]) == interactions.Inserted(accepted=2, duplicates=1)
    assert interactions.insert(tx, [c, a, b]) == interactions.Inserted(accepted=1, duplicates=2)


def test_the_first_of_two_with_one_id_stays(tx: Tx) -> None:
    interactions.insert(tx, [interaction("a", user_id="first"), interaction("a", user_id="second")])
    interactions.insert(tx, [interaction("a", user_id="third")])
    kept = interactions.get(tx, "a")
    assert kept is not None
    assert kept.user_id == "first"


def test_a_resend_whose_time_was_rounded_otherwise_is_a_duplicate(tx: Tx) -> None:
    interactions.insert(tx, [interaction("a", started_at=at(0) + timedelta(milliseconds=999.999))])
    assert interactions.insert(tx, [interaction("a", started_at=at(0))]).duplicates == 1
    assert interactions.insert(tx, [interaction("a", started_at=at(0) + timedelta(seconds=1))]).duplicates == 1


@settings(max_examples=15, deadline=None)
@given(batches=st.lists(st.lists(st.integers(0, 12), max_size=8), max_size=6))
def test_any_interleaving_of_batches_keeps_each_id_once(batches: list[list[int]]) -> None:
    with TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "driftd.duckdb", clock=HandClock())
        sent = [number for batch in batches for number in batch]
        accepted = 0
        for batch in batches:
            with store.write() as tx:
                rows = [interaction(str(n), started_at=at(n * 7919 % 1000)) for n in batch]
                accepted += interactions.insert(tx, rows).accepted
        with store.read() as tx:
            kept = [item.id for item in interactions.page(tx, PageQuery(limit=1000)).items]
        store.close()
    assert sorted(kept) == sorted({str(number) for number in sent})
    assert accepted == len(kept)


def test_only_production_counts_as_traffic(tx: Tx) -> None:
    interactions.insert(
        tx,
        [
            interaction("a"),
            interaction("b", origin=Origin.REPLAY),
            interaction("c", origin=Origin.SEALED_MATCH),
            interaction("d", deployment="search"),
        ],
    )
    assert interactions.count(tx) == 2
    assert interactions.count(tx, "support") == 1


def test_identity_windows_tell_how_often_each_identity_served_and_when(tx: Tx) -> None:
    def served(key: str, minute: int, identity: str | None, **fields: object) -> None:
        model = f"model-{identity}-{minute}"
        row = interaction(key, started_at=at(minute), identity=identity, response_model=model, **fields)
        interactions.insert(tx, [row])

    served("old", -60, "a")
    served("a1", 1, "a")
    served("b1", 2, "b")
    served("a2", 3, "a", prompt_id="triage", prompt_version="2", system_fingerprint="fp")
    served("none", 4, None)
    served("error", 5, "a", status=Status.ERROR)
    served("replay", 6, "a", origin=Origin.REPLAY)
    served("other", 7, "a", deployment="search")
    first, second = interactions.identity_windows(tx, "support", at(0))
    assert (first.identity, first.count, first.first_seen, first.last_seen) == ("a", 2, at(1), at(3))
    assert (first.response_model, first.prompt_id, first.prompt_version) == ("model-a-3", "triage", "2")
    assert first.system_fingerprint == "fp"
    assert (second.identity, second.count) == ("b", 1)


def test_latest_identities_are_production_newest_first_and_bounded(tx: Tx) -> None:
    interactions.insert(tx, [interaction(f"i{n}", started_at=at(n), identity=f"v{n}") for n in range(5)])
    interactions.insert(tx, [interaction("replay", started_at=at(9), origin=Origin.REPLAY)])
    interactions.insert(tx, [interaction("ahead", started_at=at(30), identity="v9")])
    seen = interactions.latest_identities(tx, "support", 3, until=at(30))
    assert [(item.interaction_id, item.identity, item.started_at) for item in seen] == [
        ("i4", "v4", at(4)),
        ("i3", "v3", at(3)),
        ("i2", "v2", at(2)),
    ]


LINKED = [
    interaction("a", trace_id="t1", span_id="s1", response_id="r1", conversation_id="c", started_at=at(1)),
    interaction("b", trace_id="t1", span_id="s2", response_id="r2", conversation_id="c", started_at=at(2)),
    interaction("c", trace_id="t2", span_id="s1", conversation_id="c", started_at=at(3)),
    interaction("echo", trace_id="t2", span_id="s9", conversation_id="c", started_at=at(2.5), origin=Origin.REPLAY),
]


def matches(tx: Tx, **keys: object) -> list[tuple[str, str]]:
    found = interactions.find_for_link(tx, [feedback("f", at=at(2.7), **keys)])
    return sorted((str(item.method), item.interaction_id) for item in found)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"interaction_id": "a"}, [("interaction_id", "a")]),
        ({"trace_id": "t1", "span_id": "s2"}, [("span", "b"), ("trace", "b")]),
        ({"response_id": "r1"}, [("response_id", "a")]),
        ({"trace_id": "t2"}, [("trace", "c")]),
        ({"conversation_id": "c"}, [("conversation", "b")]),
        ({"interaction_id": "echo"}, []),
        ({"interaction_id": "nobody", "response_id": "r2"}, [("response_id", "b")]),
        ({}, []),
    ],
)
def test_feedback_finds_what_each_of_its_keys_matches(
    tx: Tx, keys: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    interactions.insert(tx, LINKED)
    assert matches(tx, **keys) == expected


def test_of_the_calls_of_a_trace_the_last_that_answered_is_found(tx: Tx) -> None:
    rows = [
        interaction("asks", trace_id="t", parent_span_id="p", started_at=at(1), finish_reason="tool_calls"),
        interaction("answers", trace_id="t", parent_span_id="p", started_at=at(2)),
        interaction("fails", trace_id="t", parent_span_id="p", started_at=at(3), status=Status.ERROR),
        interaction("judge", trace_id="t", parent_span_id="q", started_at=at(4)),
    ]
    interactions.insert(tx, rows)
    assert matches(tx, trace_id="t") == [("trace", "judge")]
    assert matches(tx, trace_id="t", span_id="p") == [("trace", "answers")]
    assert matches(tx, span_id="p") == [("trace", "answers")], "a span id alone, as some senders have it"


def test_only_the_kept_report_of_a_call_is_found(tx: Tx) -> None:
    rows = [
        interaction("kept", trace_id="a", span_id="1"),
        interaction("second", trace_id="b", span_id="2", duplicate_of="kept"),
    ]
    interactions.insert(tx, rows)
    assert matches(tx, trace_id="b", span_id="2") == [("span", "kept"), ("trace", "kept")]
    assert matches(tx, interaction_id="second") == [("interaction_id", "kept")]


def test_the_interaction_of_the_same_deployment_goes_before_those_of_others(tx: Tx) -> None:
    interactions.insert(
        tx,
        [
            interaction("mine", conversation_id="1", response_id="1", started_at=at(1)),
            interaction("theirs", conversation_id="1", response_id="1", started_at=at(2), deployment="search"),
        ],
    )
    assert matches(tx, conversation_id="1", response_id="1") == [("conversation", "mine"), ("response_id", "mine")]
    assert matches(tx, conversation_id="1", deployment="search") == [("conversation", "theirs")]
    assert matches(tx, response_id="1", deployment="unknown") == [("response_id", "mine"), ("response_id", "theirs")]


def test_links_of_many_are_found_at_once_and_in_a_read(store: Store) -> None:
    with store.write() as tx:
        interactions.insert(tx, LINKED)
    asked = [feedback("f1", interaction_id="a"), feedback("f2", interaction_id="b")]
    with store.read() as tx:
        assert interactions.find_for_link(tx, []) == []
        assert interactions.find_for_link(tx, asked) == [
            LinkCandidate(
                feedback_id=f"f{n}",
                interaction_id=found,
                method=LinkMethod.INTERACTION_ID,
                started_at=at(n),
                deployment="support",
            )
            for n, found in ((1, "a"), (2, "b"))
        ]


def test_times_keep_their_microseconds(tx: Tx) -> None:
    when = at(0) + timedelta(microseconds=1)
    interactions.insert(tx, [interaction("a", started_at=when)])
    kept = interactions.get(tx, "a")
    assert kept is not None
    assert kept.started_at == when
