"""A broker with authentication: by password, by certificate, or both, one listener for each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ingest.kafka.authority import Authority, authority
from tests.ingest.kafka.broker import Broker, jars, own_broker
from tests.ports import free_ports

USER, PASSWORD = "driftd", "correct-horse"
SETTINGS = """listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller},\
SASL_PLAINTEXT://127.0.0.1:SASL,SSL://127.0.0.1:TLS,SASL_SSL://127.0.0.1:BOTH
advertised.listeners=PLAINTEXT://127.0.0.1:{port},\
SASL_PLAINTEXT://127.0.0.1:SASL,SSL://127.0.0.1:TLS,SASL_SSL://127.0.0.1:BOTH
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,\
SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
ssl.keystore.type=PEM
ssl.keystore.location=KEYS
ssl.truststore.type=PEM
ssl.truststore.location=TRUSTED
listener.name.ssl.ssl.client.auth=required
"""
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """`broker` also has a listener without authentication. The others: `sasl`, `tls` (requires a
    certificate), `both`.
    """

    broker: Broker
    authority: Authority
    sasl: str
    tls: str
    both: str


@contextmanager
def guarded_broker(folder: Path) -> Iterator[Guarded]:
    port, *ports = free_ports(4)
    signer = authority(folder / "authority.pem", "driftd tests")
    words = {
        "SASL\n": f"{ports[0]}\n",
        ":SASL,": f":{ports[0]},",
        ":TLS,": f":{ports[1]},",
        ":BOTH\n": f":{ports[2]}\n",
        "KEYS": str(signer.signed(folder / "broker.pem", "broker")),
        "TRUSTED": str(signer.file),
    }
    settings = SETTINGS
    for word, value in words.items():
        settings = settings.replace(word, value)
    for listener in ("sasl_plaintext", "sasl_ssl"):
        settings += f'listener.name.{listener}.plain.sasl.jaas.config={PLAIN} user_{USER}="{PASSWORD}";\n'
        for mechanism in ("scram-sha-256", "scram-sha-512"):
            settings += f"listener.name.{listener}.{mechanism}.sasl.jaas.config={SCRAM}\n"
    users = [f"SCRAM-SHA-{bits}=[name={USER},password={PASSWORD}]" for bits in (256, 512)]
    broker = own_broker(folder, jars(os.environ), port, settings=settings, users=users)
    broker.start()
    try:
        sasl, tls, both = (f"127.0.0.1:{one}" for one in ports)
        yield Guarded(broker=broker, authority=signer, sasl=sasl, tls=tls, both=both)
    finally:
        broker.stop()
