"""The state of the certificates of the listeners, as conditions."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from monitor.alerting.checks.condition import DAEMON, Condition, ConditionState

RULE = "CertificateNotRenewed"


class WatchedCertificate(Protocol):
    """A certificate that knows its own problems."""

    key: str
    problem: str | None

    def expires_soon(self) -> str | None: ...


class CertificateCheck:
    """Reports a certificate that expires soon, or whose changed files cannot be used."""

    rules = (RULE,)
    every_s = 5.0
    follows_runs = False

    def __init__(self, certificates: Callable[[], Sequence[WatchedCertificate]]) -> None:
        self._certificates = certificates

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        for certificate in self._certificates():
            trouble = certificate.problem or certificate.expires_soon()
            yield Condition(
                rule=RULE,
                deployment=DAEMON,
                subject=f"certificate of {certificate.key}",
                state=ConditionState.CLEAR if trouble is None else ConditionState.FIRING,
                reason=trouble or f"the certificate of {certificate.key} is valid and in use",
            )
