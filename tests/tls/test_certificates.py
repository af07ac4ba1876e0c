"""Which files are accepted as a certificate, and what a change of them does."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.clock import OffsetClock, SystemClock
from monitor.tls.certificates import CertificateFiles, ServedCertificate, UnusableCertificate, load_certificate
from tests.tls.authority import NOW, YEAR, Authority, Pair


class Reloads:
    """Telemetry that keeps the results of reloads."""

    def __init__(self) -> None:
        self.results: list[str] = []

    def count(self, name: str, amount: float, labels: Mapping[str, str]) -> None:
        assert name == "driftd.tls.reloads"
        self.results += [labels["result"]] * int(amount)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(folder=tmp_path)


def files(pair: Pair, **more: Any) -> CertificateFiles:
    return CertificateFiles(cert_file=pair.cert_file, key_file=pair.key_file, **more)


def test_a_pair_has_its_names_and_times(authority: Authority) -> None:
    found = load_certificate(files(authority.issue("server", ("driftd.test", "10.0.0.7"))))
    assert found.names == ("driftd.test", "10.0.0.7")
    assert found.not_after == (NOW + YEAR).replace(microsecond=0)


def test_files_that_are_no_pair_are_refused_with_the_reason(authority: Authority, tmp_path: Path) -> None:
    pair, other = authority.issue("server"), authority.issue("other")
    text = tmp_path / "text"
    text.write_text("no certificate")
    protected = authority.issue("protected", password=b"secret")
    wrong = {
        "the key is of another certificate": Pair(cert_file=pair.cert_file, key_file=other.key_file),
        "has no PEM certificate": Pair(cert_file=text, key_file=pair.key_file),
        "no usable pair": Pair(cert_file=pair.cert_file, key_file=text),
        "needs a password": protected,
        "cannot be read: No such file": Pair(cert_file=tmp_path / "absent", key_file=pair.key_file),
    }
    for reason, refused in wrong.items():
        with pytest.raises(UnusableCertificate, match=reason):
            load_certificate(files(refused))
    with pytest.raises(UnusableCertificate, match="has no usable certificate authority"):
        load_certificate(files(pair, client_ca_file=text))


def test_a_broken_file_keeps_the_certificate_until_a_usable_one_arrives(authority: Authority) -> None:
    telemetry: Any = Reloads()
    pair = authority.issue("server")
    certificate = ServedCertificate("api", files(pair), SystemClock(), telemetry)
    before = certificate.current
    pair.key_file.write_text("broken")
    certificate.refresh()
    certificate.refresh()  # the same files: no second report
    assert certificate.current is before
    assert certificate.problem is not None
    assert "no usable pair" in certificate.problem
    assert telemetry.results == ["failed"]
    authority.issue("server")
    certificate.refresh()
    assert certificate.current is not before
    assert certificate.problem is None
    assert telemetry.results == ["failed", "loaded"]


def test_the_return_of_the_old_files_ends_the_problem(authority: Authority) -> None:
    pair = authority.issue("server")
    certificate = ServedCertificate("api", files(pair), SystemClock())
    text = pair.cert_file.read_bytes()
    pair.cert_file.unlink()
    certificate.refresh()
    assert certificate.problem is not None
    pair.cert_file.write_bytes(text)
    certificate.refresh()
    assert certificate.problem is None


@pytest.mark.parametrize(("since", "until", "reason"), [(-2, -1, "it expired at"), (1, 2, "it is valid from")])
def test_a_certificate_outside_its_time_does_not_replace_a_valid_one(
    authority: Authority, since: int, until: int, reason: str
) -> None:
    certificate = ServedCertificate("api", files(authority.issue("server")), SystemClock())
    authority.issue("server", since=NOW + timedelta(days=since), until=NOW + timedelta(days=until))
    certificate.refresh()
    assert certificate.problem is not None
    assert reason in certificate.problem


def test_an_expired_certificate_is_replaced_by_any_other_one(authority: Authority) -> None:
    past = NOW - timedelta(days=1)
    pair = authority.issue("server", since=NOW - YEAR, until=past)
    certificate = ServedCertificate("api", files(pair), SystemClock())
    authority.issue("server", since=NOW - YEAR, until=past + timedelta(hours=1))
    certificate.refresh()
    assert certificate.problem is None


@pytest.mark.parametrize(("days", "expected"), [(0, None), (350, None), (352, "expires at"), (366, "expired at")])
def test_the_end_of_a_certificate_is_reported_fourteen_days_before(
    authority: Authority, days: int, expected: str | None
) -> None:
    pair = authority.issue("server")
    clock = OffsetClock(datetime.now(UTC) + timedelta(days=days))
    sentence = ServedCertificate("api", files(pair), clock).expires_soon()
    assert sentence is None if expected is None else expected in str(sentence)


def test_the_gauge_has_the_time_of_the_end(authority: Authority) -> None:
    value = ServedCertificate("api", files(authority.issue("server")), SystemClock()).value()
    assert value.labels == {"listener": "api"}
    assert value.value == pytest.approx((NOW + YEAR).timestamp(), abs=1)
