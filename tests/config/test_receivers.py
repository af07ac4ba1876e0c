"""The sections of receivers that have more than a URL."""

from pathlib import Path
from typing import Any

import pytest

from monitor.config.policy import to_policy
from monitor.errors import ConfigError
from tests.config.builders import config

KEY = "R0123456789abcdefghijklmnopqrstu"


def pager(folder: Path = Path(), /, **keys: Any) -> Any:
    return config(folder, receivers__pager={"kind": "pagerduty", **keys}).receivers["pager"]


@pytest.mark.parametrize(
    ("keys", "url"),
    [
        ({}, "https://events.pagerduty.com"),
        ({"region": "eu"}, "https://events.eu.pagerduty.com"),
        ({"region": "eu", "events_url": "http://127.0.0.1:9/relay/"}, "http://127.0.0.1:9/relay"),
    ],
)
def test_pagerduty_has_the_address_of_its_region(keys: dict[str, str], url: str) -> None:
    assert pager(routing_key=KEY, **keys).options()["url"] == url


def test_the_routing_key_of_pagerduty_can_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    section = pager(tmp_path, routing_key_file="key")
    assert section.options()["routing_key"] == KEY
    assert KEY not in repr(section)


def test_pagerduty_needs_a_routing_key_of_the_right_form_and_the_error_does_not_quote_it() -> None:
    with pytest.raises(ConfigError, match=r"receivers.pager.routing_key: give routing_key or routing_key_file"):
        pager()
    with pytest.raises(ConfigError, match=r"receivers.pager.routing_key: .* 32 letters and digits") as raised:
        pager(routing_key="s3cret")
    assert "s3cret" not in str(raised.value)


def test_receivers_of_services_that_show_acknowledgements_get_them() -> None:
    policy = to_policy(config(receivers__pager={"kind": "pagerduty", "routing_key": KEY})).alerts
    assert policy.acknowledging == ("pager",)


def chat(folder: Path = Path(), /, **keys: Any) -> Any:
    known = {"kind": "slack_api", "channel": "C024BE91L"}
    return config(folder, receivers__chat=known | keys).receivers["chat"]


def test_the_secrets_of_slack_can_be_in_files(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("xoxb-s3cret\n")
    (tmp_path / "signing").write_text("8f742231b10e8888abcd\n")
    section = chat(tmp_path, token_file="token", signing_secret_file="signing")
    assert (section.options()["token"], section.options()["buttons"]) == ("xoxb-s3cret", True)
    assert section.callback_secret.get_secret_value() == "8f742231b10e8888abcd"
    assert "s3cret" not in repr(section)
    assert "8f742231" not in repr(section)


def test_slack_without_a_signing_secret_has_no_button_and_no_callback() -> None:
    section = chat(token="xoxb-1")
    assert section.options()["url"] == "https://slack.com/api"
    assert section.options()["buttons"] is False
    assert section.callback_secret is None


def test_slack_needs_a_token_that_fits_a_header_and_the_error_does_not_quote_it() -> None:
    with pytest.raises(ConfigError, match=r"receivers.chat.token: give token or token_file"):
        chat()
    with pytest.raises(ConfigError, match=r"receivers.chat.token: .* without spaces") as raised:
        chat(token="s3cret token")
    assert "s3cret" not in str(raised.value)


def test_apprise_needs_a_url() -> None:
    with pytest.raises(ConfigError, match=r"receivers.other.service_urls: give service_urls or service_urls_file"):
        config(receivers__other={"kind": "apprise", "service_urls": " \n "})
