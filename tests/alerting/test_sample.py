"""Templates are checked on samples before the daemon uses them."""

import io

import pytest

from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import render
from monitor.alerting.sample import checked_templates, samples
from monitor.config.receivers.base import TemplatesConfig
from monitor.errors import ConfigError
from tests.alerting.build import a_notification, a_payload


@pytest.mark.parametrize("name", samples())
def test_the_built_in_templates_render_each_sample(name: str) -> None:
    page = render(samples()[name])
    assert page.problems == ()
    assert len(page.text.splitlines()) >= 5


def test_the_sample_of_a_regression_has_the_parts_of_a_real_payload() -> None:
    sample, real = samples()["a regression"], a_payload()
    assert sample.keys() == real.keys()
    for part in ("alert", "decided", "comparison"):
        assert sample[part].keys() == real[part].keys(), part


def test_templates_that_read_an_absent_value_are_refused_with_the_sample() -> None:
    with pytest.raises(ConfigError) as caught:
        checked_templates("pager", {"title": "{{ decided.effect | points }}"})
    message = str(caught.value)
    assert message.startswith("receivers.pager.templates.title: UndefinedError: ")
    assert "(in a test notification); test a value that can be absent, for example {% if decided %}" in message
    assert checked_templates("pager", {"title": "{% if decided %}{{ decided.effect | points }}{% endif %}"}) is not None


def test_a_console_of_the_configuration_uses_its_templates() -> None:
    stream = io.StringIO()
    section = TemplatesConfig(text="{{ state }} {{ headline }}")
    with pytest.raises(ConfigError, match=r"receivers\.pager\.templates\.text: not a valid Jinja template, line 1"):
        build_receiver("console", "pager", {"templates": {"text": "{% if %}"}}, stream)
    receiver = build_receiver("console", "pager", {"templates": section.sources()}, stream)
    receiver.send(a_notification())
    assert stream.getvalue().strip() == "FIRING prime −95.2 points, composite +27.6 points"
