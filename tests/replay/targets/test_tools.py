from replay.targets.tools import Script, calls_as_text
from replay.types import ToolCall, ToolResult


def call(name: str = "find_order", arguments: str = '{"order": 7}') -> ToolCall:
    return ToolCall(id="1", name=name, arguments=arguments)


def test_the_arguments_say_which_result_comes_back() -> None:
    script = Script(
        [
            ToolResult(name="find_order", result="no such order"),
            ToolResult(name="find_order", arguments={"order": 7}, result="shipped"),
        ]
    )
    assert script.answer(call()).result == "shipped"
    assert script.answer(call(arguments='{"order":8}')).result == "no such order"
    assert script.answer(call()).result == "shipped"


def test_several_results_of_one_call_come_back_in_turn_and_the_last_stays() -> None:
    script = Script([ToolResult(name="find_order", result="packed"), ToolResult(name="find_order", result="shipped")])
    assert [script.answer(call()).result for _ in range(3)] == ["packed", "shipped", "shipped"]


def test_a_call_that_nobody_thought_of_has_no_result() -> None:
    script = Script([ToolResult(name="find_order", arguments={"order": 7}, result="shipped")])
    assert script.answer(call(name="cancel_order")).result is None
    assert script.answer(call(arguments='{"order": 8}')).result is None
    assert script.answer(call(arguments="{order: 7")).result is None


def test_no_arguments_and_an_empty_object_are_the_same() -> None:
    assert Script([ToolResult(name="now", arguments={}, result="noon")]).answer(call("now", "")).result == "noon"


def test_calls_as_an_answer_are_json_whatever_the_model_wrote() -> None:
    assert calls_as_text([call(), call("now", "not json")]) == (
        '{"name": "find_order", "arguments": {"order": 7}}\n{"name": "now", "arguments": "not json"}'
    )
