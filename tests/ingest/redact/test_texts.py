"""Redaction of a text: equal values have equal placeholders, nothing else changes, and JSON stays valid."""

import json
import re
from uuid import UUID

import phonenumbers
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from bench.redaction_study.sample import Labelled, read_sample
from monitor.domain.redaction import Action, Kind, Locale
from monitor.ingest.redact.finder import Finder
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.rules import Rules
from monitor.ingest.redact.texts import Found, TextRedactor

DEFAULT = TextRedactor(Rules(), Salted(b"of this test"))
SAMPLE = read_sample()
CARD, MAIL, PHONE = "4111 1111 1111 1111", "anna@example.org", "+49 30 901820"
KEY = "sk-" + "proj-Ab1" * 5
PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from([CARD, MAIL, PHONE, KEY, "DE89370400440532013000", "84.12.33.7", "219-09-9999", "2026-11-21"]),
    st.sampled_from([*'"\\{}[]:,.-+@ \n', "\\n", "\\u0040", "\\\\", "12", "Bearer ", "password: ", "<email:"]),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def clean(text: str, redactor: TextRedactor = DEFAULT) -> str:
    return redactor.text(text, Found())


def of(**fields: object) -> TextRedactor:
    return TextRedactor(Rules(**fields), Salted(b"of this test"))  # type: ignore[arg-type]


@given(TEXTS)
@example("\ud800" + MAIL)
@example(f"{CARD}{CARD} {CARD}-{PHONE}")
def test_a_text_is_redacted_once_and_never_fails(text: str) -> None:
    once = clean(text)
    assert clean(once) is once


@given(TEXTS)
def test_a_text_without_private_values_is_the_same_object(text: str) -> None:
    found = Found()
    redacted = DEFAULT.text(text, found)
    assert (redacted is text) == (not found)


@given(st.recursive(st.one_of(TEXTS, st.integers(), st.none()), lambda v: st.lists(v) | st.dictionaries(TEXTS, v)))
def test_json_stays_json_with_any_escapes(value: object) -> None:
    for ascii_only in (True, False):
        json.loads(clean(json.dumps([value], ensure_ascii=ascii_only)))


@pytest.mark.parametrize("item", [i for i in SAMPLE if not i.spans], ids=lambda i: i.text[:40])
def test_a_text_without_private_values_is_unchanged(item: Labelled) -> None:
    assert clean(item.text) is item.text


def test_the_same_value_has_one_placeholder_in_every_spelling() -> None:
    (mail,) = {clean(m) for m in (MAIL, MAIL.upper())}
    (card,) = {clean(c) for c in (CARD, CARD.replace(" ", ""), CARD.replace(" ", "-"))}
    (phone,) = {clean(p) for p in (PHONE, "030/901820", "+49 (30) 90 18 20")}
    assert re.fullmatch("<email:[a-p]{12}>", mail)
    assert re.fullmatch("<card:[a-p]{12}>", card)
    assert re.fullmatch("<phone:[a-p]{12}>", phone)


def test_another_installation_has_other_placeholders() -> None:
    assert clean(MAIL) != clean(MAIL, TextRedactor(Rules(), Salted(b"of another")))


def test_the_text_around_a_value_is_unchanged() -> None:
    assert re.fullmatch(r'\("<email:\w+>", <ip:\w+>:8080\)\.', clean(f'("{MAIL}", 84.12.33.7:8080).'))


def test_an_escape_before_a_value_stays_an_escape() -> None:
    assert json.loads(clean(json.dumps({"a": f"to\n{MAIL}\n{CARD}"})))["a"].startswith("to\n<email:")


def test_an_escaped_address_is_one_too() -> None:
    assert clean('{"a": "anna\\u0040example.org"}') == json.dumps({"a": clean(MAIL)})


def test_a_number_that_is_a_card_becomes_a_string() -> None:
    assert json.loads(clean('{"pan": 4111111111111111, "n": 3}')) == {"pan": clean(CARD), "n": 3}


@pytest.mark.parametrize(
    ("action", "card", "mail"),
    [
        (Action.KEEP, CARD, MAIL),
        (Action.DROP, "", ""),
        (Action.MASK, "**** **** **** 1111", "****@*******.***"),
    ],
)
def test_a_kind_has_an_action(action: Action, card: str, mail: str) -> None:
    redactor = of(actions=dict.fromkeys(Kind, action))
    assert (clean(CARD, redactor), clean(MAIL, redactor)) == (card, mail)


def test_a_hash_is_the_digest_alone() -> None:
    redactor = of(actions={Kind.EMAIL: Action.HASH})
    hashed = clean(MAIL, redactor)
    assert re.fullmatch("[a-p]{32}", hashed)
    assert clean(hashed, redactor) is hashed


def test_allowed_values_are_unchanged() -> None:
    redactor = of(allow=frozenset({"Support@ourfirm.example", CARD}), allow_patterns=(r"[a-z]+@press\.example",))
    kept = f"support@ourfirm.example, news@press.example, {CARD}"
    assert clean(kept, redactor) is kept
    assert "<email:" in clean("anna.news@press.example", redactor)


def test_allowed_networks_are_unchanged() -> None:
    from ipaddress import ip_network

    redactor = of(allow_networks=(ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")))
    assert re.fullmatch(r"10\.1\.2\.3 2001:db8::7 <ip:\w+>", clean("10.1.2.3 2001:db8::7 84.12.33.7", redactor))


def test_configured_patterns_are_kinds() -> None:
    redactor = of(patterns={"customer": r"K-\d{7}"}, actions={"customer": Action.REPLACE, Kind.EMAIL: Action.KEEP})
    assert re.fullmatch(rf"<customer:\w+> {MAIL}", clean(f"K-1234567 {MAIL}", redactor))


def test_ids_of_a_disabled_country_are_not_searched() -> None:
    only_us = of(locales=frozenset({Locale.US}))
    text = "Steuer-ID 86095742719, Tel. 030/901820, SSN 219-09-9999"
    assert re.fullmatch(r"Steuer-ID 86095742719, Tel. 030/901820, SSN <national_id:\w+>", clean(text, only_us))


@given(st.uuids(version=4))
def test_a_canary_is_found_where_it_leaked(uuid: UUID) -> None:
    text = f"As an example: driftd-canary-{uuid}, {uuid} and {uuid.hex}."
    assert clean(text) is text


@given(st.integers(min_value=10**15, max_value=10**16 - 1).map(str))
def test_only_cards_with_a_right_check_digit_are_redacted(digits: str) -> None:
    from monitor.ingest.redact.cards import is_card

    assert (clean(f"pay {digits} now") != f"pay {digits} now") == is_card(digits)


@pytest.mark.parametrize("text", ["2026.11.2", "v2026.11.22-rc1", "2026-11-22T10:00:00Z", "12.04.2026", "20261122.1"])
def test_dates_and_versions_are_not_phone_numbers(text: str) -> None:
    """A service with a calendar version has one in every span."""
    finder, data = Finder(Rules()), f"api.openai.com\n{text}\nproduction".encode()
    assert finder.find(data, finder.looks(data)) == []


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("form", [PhoneNumberFormat.NATIONAL, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.E164])
@pytest.mark.parametrize("kind", [PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE])
def test_the_quick_test_loses_no_phone_number(locale: Locale, form: int, kind: int) -> None:
    number = phonenumbers.example_number_for_type(locale.value, kind)
    if number is None:
        pytest.skip(f"{locale} has no example of this kind")
    written = phonenumbers.format_number(number, form)
    for text in (
        f"call {written}",
        f"2026.11.2 call me at {written} or 2026-11-22",
        f"phone:{written}\nversion 2026.11.2",
    ):
        assert written not in clean(text), text
