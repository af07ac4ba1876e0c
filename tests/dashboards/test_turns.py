"""The answers of a case that was asked turn by turn, on the page *Compare*."""

from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from dashboards.panels.case_text import show_turns
    from tests.cli.replays.test_case_view import outcome

    questions = ["Write a poem.", "Shorter."]
    show_turns(st.container(), outcome(turns=["The sea is wide.", "Sea."]), questions)
    show_turns(st.container(), outcome(text=None, error_class="timeout"), questions)


def test_each_answer_is_under_its_question() -> None:
    page = AppTest.from_function(script, default_timeout=30).run()
    assert not page.exception
    assert [caption.value for caption in page.caption] == [
        "turn 1: Write a poem.",
        "turn 2: Shorter.",
        "No answer: timeout.",
    ]
    shown = "".join(element.proto.body for element in page.get("html"))
    assert shown.index("The sea is wide.") < shown.index("Sea.")
