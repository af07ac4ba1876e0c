"""The certificates of all listeners of the process."""

from collections.abc import Mapping, Sequence

from monitor.clock import Clock
from monitor.telemetry import Instruments
from monitor.tls.certificates import CertificateFiles, ServedCertificate


class Certificates:
    """The certificates by listener. They are empty until `load`: only a server reads the files."""

    def __init__(self, files: Mapping[str, CertificateFiles], clock: Clock, telemetry: Instruments) -> None:
        self._files, self._clock, self._telemetry = files, clock, telemetry
        self._served: Mapping[str, ServedCertificate] = {}
        telemetry.observe("driftd.tls.certificate.expires", lambda: [one.value() for one in self.all()])

    def load(self) -> None:
        """Read all files. Raises UnusableCertificate."""
        self._served = {
            key: ServedCertificate(key, files, self._clock, self._telemetry) for key, files in self._files.items()
        }

    def refresh(self) -> None:
        """Load the files that changed."""
        for one in self.all():
            one.refresh()

    def of(self, listener: str) -> ServedCertificate | None:
        """Return the certificate of a listener; None if it uses no TLS."""
        return self._served.get(listener)

    def all(self) -> Sequence[ServedCertificate]:
        return list(self._served.values())
