import html
import re
from html.parser import HTMLParser
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dashboards.word_diff import Span, WordDiff, as_html, diff_words, escaped

TEXTS = st.text(max_size=80) | st.lists(st.sampled_from(["yes", "no", " ", "\n", ".", "<b>", "7"])).map("".join)


def changed(spans: tuple[Span, ...]) -> list[str]:
    return [span.text for span in spans if span.changed]


def test_what_only_one_answer_says_is_marked_on_its_side() -> None:
    diff = diff_words("Yes, 7 is a prime number.", "No, 7 is not a prime number.")
    assert (changed(diff.before), changed(diff.after)) == (["Yes"], ["No", " not"])


def test_equal_answers_have_no_mark() -> None:
    assert diff_words("7 is a prime.", "7 is a prime.").before == (Span(text="7 is a prime.", changed=False),)


def test_an_empty_answer_shares_nothing() -> None:
    assert diff_words("", "No.") == WordDiff(before=(), after=(Span(text="No.", changed=True),))


def test_a_changed_line_end_is_a_difference() -> None:
    diff = diff_words("a b", "a\nb")
    assert (changed(diff.before), changed(diff.after)) == ([" "], ["\n"])


def test_a_sentence_without_spaces_is_compared_sign_by_sign() -> None:
    diff = diff_words("七是质数", "七不是质数")
    assert (changed(diff.before), changed(diff.after)) == ([], ["不"])


def test_answers_that_repeat_themselves_are_marked_whole_between_what_they_share() -> None:
    words = [f"word{number % 150}" for number in range(15_000)]
    diff = diff_words(" ".join(["So:", *words, "end"]), " ".join(["So:", *reversed(words), "end"]))
    assert diff.coarse
    assert [len(side) for side in (diff.before, diff.after)] == [3, 3]
    assert (diff.before[0].text, diff.before[-1].text) == ("So: ", " end")
    assert diff_words("yes " * 9000 + "no", "no " + "yes no " * 40).coarse  # the other one being short is no help


def test_two_words_in_endless_turns_are_compared_within_bounds() -> None:
    diff = diff_words("a b " * 50_000, "a c " * 50_000 + "x")
    assert not any("a" in span.text for span in diff.after[1:] if not span.changed)


def test_a_long_answer_of_ordinary_words_is_compared_word_by_word() -> None:
    words = [f"word{number * number % 997} the" for number in range(2000)]
    diff = diff_words(" ".join(words), " ".join([*words[:900], "surprise", *words[900:]]))
    assert not diff.coarse
    assert changed(diff.after) == ["surprise "]


@given(TEXTS, TEXTS)
def test_the_spans_give_back_both_texts_and_share_what_is_unmarked(before: str, after: str) -> None:
    diff = diff_words(before, after)
    assert "".join(span.text for span in diff.before) == before
    assert "".join(span.text for span in diff.after) == after
    shared = ["".join(span.text for span in side if not span.changed) for side in (diff.before, diff.after)]
    assert shared[0] == shared[1]
    for side in (diff.before, diff.after):
        assert all(left.changed != right.changed for left, right in pairwise(side))


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.shown = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        assert attrs == []

    def handle_data(self, data: str) -> None:
        self.shown += data


MARKUP = st.text(alphabet="<>&\"'/=a script\n\t", max_size=60)


@given(MARKUP, MARKUP)
def test_no_text_becomes_an_element_or_is_lost(before: str, after: str) -> None:
    page = Elements(as_html(diff_words(before, after).before, "del"))
    assert page.names <= {"del"}
    assert page.shown == before


def test_a_script_stays_letters() -> None:
    [span] = diff_words("", "<script>alert('x')</script>").after
    assert as_html([span], "ins") == "<ins>&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;</ins>"


def test_what_cannot_be_seen_is_named() -> None:
    shown = html.unescape(escaped("a\x00\u202eb\u200b\r\nc\rd\x9b"))
    assert shown == "a⟨U+0000⟩⟨U+202E⟩b⟨U+200B⟩\nc⟨U+000D⟩d⟨U+009B⟩"


@given(st.text())
def test_html_is_one_line_without_control_characters(text: str) -> None:
    assert not re.search("[\x00-\x08\x0a-\x1f\x7f<>]", escaped(text))
