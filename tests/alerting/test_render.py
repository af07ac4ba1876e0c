"""Templates of a message: the built-in ones, those of the configuration, and what happens when those fail."""

import re
import sys
from html import unescape

import pytest

from monitor.alerting import sandbox
from monitor.alerting.render import Rendered, Templates, render
from monitor.errors import ConfigError
from tests.alerting.build import a_payload, an_alert

OWN = {"title": "{{ severity_icon | default('!') }} {{ headline }} on {{ deployment }}"}


def rendered(**templates: str) -> Rendered:
    return render(a_payload(), Templates("receivers.pager.templates", templates))


def test_each_part_has_the_same_headline_and_effect() -> None:
    page = render(a_payload())
    effect = "Pass rate 84.0 % → 50.2 %: −33.8 points, 95 % interval −38.5 to −29.0, 800 cases."
    assert page.problems == ()
    assert page.text.splitlines()[0] == page.title
    assert f">{page.title}</h2>" in page.html
    assert all(effect in part for part in (page.summary, page.text, page.html))
    assert "\n" not in page.title + page.summary


def test_html_has_every_row_of_the_text_and_escapes_values() -> None:
    payload = a_payload(an_alert(), from_label="<b>gpt</b> & co")
    page = render(payload)
    assert "&lt;b&gt;gpt&lt;/b&gt; &amp; co" in page.html
    assert "<b>gpt" not in page.html
    assert "<b>gpt</b> & co" in page.text
    names = {line[2:12].strip() for line in page.text.splitlines() if line.startswith("  ")} - {""}
    assert set(re.findall(r"color: #666\">(\w+)</td>", page.html)) == names
    assert '<a href="http://127.0.0.1:8501/?alert=a1">' in page.html


def test_a_template_of_the_configuration_replaces_its_part_alone() -> None:
    page = rendered(**OWN)
    assert page.title == "! prime −95.2 points, composite +27.6 points on support"
    assert page.text.splitlines()[0] == page.title
    assert page.summary == render(a_payload()).summary


def test_templates_read_the_payload_and_use_the_filters() -> None:
    page = rendered(
        text="{{ decided.effect | points }} {{ decided.before | percent }} {{ decided.p | p_value }} "
        "{{ alert.fired_at | when }} {% for row in rows if row.name == 'flips' %}{{ row.lines | join }}{% endfor %}"
    )
    assert page.problems == ()
    assert page.text == (
        "−33.8 84.0 % p < 0.0001 2026-11-21 02:00 UTC 382 passed before and fail now, 112 the other way"
    )


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ nothing_like_this }}", "UndefinedError: 'nothing_like_this' is undefined"),
        ("{{ decided.cases / 0 }}", "ZeroDivisionError"),
        ("{{ ''.__class__ }}", "SecurityError"),
        ("{{ 'x'.center(10) }}", "SecurityError: a template calls no functions"),
        ("{{ 'x' * 1000000000 }}", "SecurityError: the operator * is not available"),
        ("{{ '%9d' % 1 }}", "SecurityError: the operator % is not available"),
        ("{% for a in rows %}{{ deployment.__init__ }}{% endfor %}", "SecurityError"),
        (f"{'x' * 70_000}", "longer than 60000 characters"),
    ],
)
def test_a_template_that_fails_is_replaced_and_named(template: str, why: str) -> None:
    page = rendered(text=template)
    assert page.text.startswith(render(a_payload()).text)
    assert page.text.splitlines()[-1].startswith(f"receivers.pager.templates.text: {why}")
    assert page.text.endswith("; the built-in template is used")
    assert len(page.problems) == 1
    assert page.problems[0] in unescape(page.html)


def test_a_template_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "LONGEST_S", 0.05)
    letters = "{% for a in long %}" * 4 + "{% endfor %}" * 4
    before = sys.gettrace()
    page = render(a_payload() | {"long": "x" * 1000}, Templates("receivers.pager.templates", {"summary": letters}))
    assert page.problems == ("receivers.pager.templates.summary: takes longer than 0.05 s",)
    assert page.summary == render(a_payload()).summary
    assert sys.gettrace() is before


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ headline", "line 1: unexpected end of template"),
        ("\n{{ headline | shout }}", "line 2: No filter named 'shout'"),
        ("{{ headline | format }}", "No filter named 'format'"),
    ],
)
def test_a_template_that_is_not_valid_is_an_error_with_its_key_and_line(template: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rendered(title=template)
    assert str(caught.value).startswith("receivers.pager.templates.title: ")
    assert message in str(caught.value)


def test_a_title_is_one_line_within_its_limit() -> None:
    page = rendered(title="{{ headline }}\n{{ 'x' | replace('x', long_name) }}".replace("long_name", f"'{'y' * 300}'"))
    assert len(page.title) == 250
    assert page.title.startswith("prime −95.2 points, composite +27.6 points yyy")
    assert page.title.endswith("y…")
