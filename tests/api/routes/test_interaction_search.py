"""The search of interactions over HTTP, and one interaction with its messages, feedback and related calls."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, Interaction, ToolCall
from monitor.store.engine.pagination import encode_cursor
from monitor.store.traffic import feedback, interactions
from tests.api.house import House, normalizer
from tests.api.rows import add_candidate, add_version
from tests.store.build import feedback as signal
from tests.store.build import interaction
from tests.store.build import user as hello

PATH = "/api/v1/interactions"
START = datetime(2026, 11, 21, 1, 0, tzinfo=UTC)
TOOL = {"id": "tool-1", "name": "find_order", "arguments": '{"order": 7}'}


def furnish(house: House) -> None:
    """Store a call with a tool and feedback, a call inside it, the call before it, and another one."""
    talk: dict[str, Any] = {"conversation_id": "talk", "trace_id": "a" * 32}
    asked = (
        ChatMessage(role="user", content="Where is my parcel?"),
        ChatMessage(role="assistant", content="", tool_calls=(ToolCall(**TOOL),)),
        ChatMessage(role="tool", content="shipped", tool_call_id="tool-1"),
    )
    user = normalizer().redactor.user("ann")
    rows = [
        call("parcel", 2, user_id=user, category="orders", system_prompt="Be brief.", input_messages=asked,
             span_id="outer", **talk),
        call("inner", 3, span_id="inner", parent_span_id="outer", **talk),
        call("prime", 0, conversation_id="talk"),
        call("other", 4),
    ]  # fmt: skip
    with house.store.write() as tx:
        interactions.insert(tx, rows)
        feedback.insert(tx, [signal("f1", deployment="bot", is_correction=True, linked_interaction_id="parcel")])


def call(id_: str, minute: int, **fields: Any) -> Interaction:
    known: dict[str, Any] = {"deployment": "bot", "identity": "gpt-4-0314", "input_messages": (hello("Is 9 a prime?"),)}
    plain = dict.fromkeys(("user_id", "category", "trace_id", "span_id", "conversation_id"))
    return interaction(id_, **plain | known | {"started_at": START + timedelta(minutes=minute)} | fields)


def found(house: House, query: str) -> list[str]:
    return [item["id"] for item in house.ask("GET", f"{PATH}?{query}").json()["items"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("text=PARCEL", ["parcel"]),
        ("user=ann", ["parcel"]),
        ("category=orders", ["parcel"]),
        ("conversation_id=talk", ["inner", "parcel", "prime"]),
        (f"trace_id={'a' * 32}", ["inner", "parcel"]),
        ("version=gpt-4-0314&status=ok&limit=1", ["other"]),
        ("status=error", []),
        ("until=2026-11-21T01:02:00Z", ["prime"]),
    ],
)
def test_a_filter_in_the_query_returns_the_matching_calls(house: House, query: str, expected: list[str]) -> None:
    furnish(house)
    assert found(house, query) == expected


def test_the_stored_hash_of_a_user_finds_the_same_calls_as_the_id(house: House) -> None:
    furnish(house)
    [item] = house.get(PATH, user="ann").json()["items"]
    assert item["user_id"] != "ann"
    assert found(house, f"user={item['user_id']}") == ["parcel"]


def test_a_complete_search_names_no_time_and_a_page_names_its_end(house: House) -> None:
    furnish(house)
    whole = house.get(PATH).json()
    assert (len(whole["items"]), whole["next_cursor"], whole["searched_to"]) == (4, None, None)
    first = house.get(PATH, limit=2).json()
    assert first["searched_to"] == first["items"][-1]["started_at"]
    assert found(house, f"limit=2&cursor={first['next_cursor']}") == ["parcel", "prime"]


@pytest.mark.parametrize("query", ["text=", "status=bad", "feedback_kind=smile", "cursor=x", "corrected=maybe"])
def test_an_invalid_filter_is_a_problem(house: House, query: str) -> None:
    furnish(house)
    assert house.ask("GET", f"{PATH}?{query}").status_code in {400, 422}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?at=2026-11-21T01:02:00Z",
        "?at=2020-01-01T00:00:00Z",
        "?at=0001-01-01T00:00:00Z",
        "?at=9999-12-31T23:59:59.999999Z",
        "?at=0001-01-01T00:00:00%2B14:00",
    ],
)
def test_one_interaction_has_its_messages_and_the_calls_around_it(house: House, query: str) -> None:
    furnish(house)
    add_version(house, "gpt-4-0314")
    one = house.ask("GET", f"{PATH}/parcel{query}").json()
    assert one["interaction"]["id"] == "parcel"
    assert one["version_label"] == "label of gpt-4-0314"
    assert one["system_prompt"] == "Be brief."
    assert [message["role"] for message in one["input"]] == ["user", "assistant", "tool"]
    assert one["input"][1]["tool_calls"] == [TOOL]
    assert one["input"][2]["tool_call_id"] == "tool-1"
    assert [message["content"] for message in one["output"]] == ["Yes."]
    assert [(call["id"], call["depth"], call["same_trace"]) for call in one["related"]] == [
        ("prime", 0, False),
        ("parcel", 0, True),
        ("inner", 1, True),
    ]


def test_feedback_on_an_interaction_names_its_candidate(house: House) -> None:
    furnish(house)
    add_candidate(house, "case", interaction_id="parcel", feedback_id="f1")
    [effect] = house.get(f"{PATH}/parcel").json()["feedback"]
    assert (effect["feedback"]["kind"], effect["candidate_id"]) == ("thumb", "case")
    assert effect["candidate_state"] == "proposed"
    assert found(house, "feedback=true") == ["parcel"]
    assert found(house, "corrected=true&feedback_kind=thumb") == ["parcel"]


def test_an_unknown_interaction_is_not_found(house: House) -> None:
    furnish(house)
    response = house.get(f"{PATH}/nothing")
    assert response.status_code == 404
    assert response.json()["detail"].startswith("interaction 'nothing' is unknown")


@pytest.mark.parametrize("edge", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
def test_times_at_the_edge_of_the_calendar_find_nothing_and_break_nothing(house: House, edge: str) -> None:
    furnish(house)
    cursor = encode_cursor(datetime.fromisoformat(edge), "x")
    for query in ({"since": edge}, {"until": edge}, {"cursor": cursor}):
        assert house.get(PATH, **query).status_code == 200
