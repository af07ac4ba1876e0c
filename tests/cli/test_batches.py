import json

from hypothesis import given
from hypothesis import strategies as st

from monitor.cli.batches import MAX_ROWS, BadLine, Batch, batches

INTERACTION = b'{"type":"interaction","id":"%d"}\n'


def split(lines: list[bytes]) -> tuple[list[Batch], list[BadLine]]:
    found = list(batches(lines))
    return [b for b in found if isinstance(b, Batch)], [b for b in found if isinstance(b, BadLine)]


def test_interactions_and_feedback_go_their_own_ways() -> None:
    good, bad = split([INTERACTION % 1, b'{"type":"feedback","kind":"thumb"}\n', b"\n", INTERACTION % 2])
    assert [(b.route, b.lines) for b in good] == [("/api/v1/interactions", [1, 4]), ("/api/v1/feedback", [2])]
    assert bad == []


def test_a_batch_is_cut_when_it_is_full() -> None:
    good, _ = split([INTERACTION % i for i in range(2 * MAX_ROWS + 1)])
    assert [len(b.records) for b in good] == [MAX_ROWS, MAX_ROWS, 1]


def test_long_records_make_short_batches() -> None:
    line = json.dumps({"type": "interaction", "x": "y" * 3_000_000}).encode() + b"\n"
    assert [len(b.records) for b in split([line] * 3)[0]] == [2, 1]


def test_what_is_no_record_is_named_with_its_line() -> None:
    lines = [
        b"{nope\n",
        b"[1]\n",
        b'{"type":"trace"}\n',
        b"\xff\n",
        b'{"type":"feedback","value":NaN}\n',
        b"[" * 100_000,
    ]
    good, bad = split(lines)
    assert good == []
    assert [b.line for b in bad] == [1, 2, 3, 4, 5, 6]
    assert bad[0].reason.startswith("is not JSON: Expecting property name")
    assert bad[1].reason == bad[2].reason == "is no record: its type must be one of interaction, feedback"
    assert bad[3].reason == "is not UTF-8"


def test_a_byte_order_mark_is_no_part_of_the_first_record() -> None:
    assert split([b"\xef\xbb\xbf" + INTERACTION % 1])[0][0].lines == [1]


@given(st.lists(st.binary(max_size=30) | st.just(INTERACTION % 3), max_size=20))
def test_every_line_is_in_a_batch_or_bad_or_blank(lines: list[bytes]) -> None:
    good, bad = split(lines)
    seen = sorted([n for b in good for n in b.lines] + [b.line for b in bad])
    assert seen == [n for n, line in enumerate(lines, start=1) if line.strip()]
