"""A certified OpenID Connect provider in Node, for the tests of the login."""

import hashlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.clients.matrix.node import npm_environment

FOLDER = Path(__file__).parent
CLIENT_ID, CLIENT_SECRET = "driftd", "a-secret-of-the-client-for-tests"


@contextmanager
def provider(port: int, page_url: str, *, lifetime_s: int = 600) -> Iterator[str]:
    """Yield the issuer. Its users are ada (driftd-operators), ben (driftd-readers) and eve (no group of driftd)."""
    packages, source = npm_environment(FOLDER), (FOLDER / "provider.mjs").read_bytes()
    # Node searches for packages only in the folders above a file.
    script = packages / f"provider-{hashlib.sha256(source).hexdigest()[:12]}.mjs"
    script.write_bytes(source)
    command = ["node", str(script), str(port), page_url, str(lifetime_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "")
            assert any(line.strip() == "ready" for line in lines), "the provider did not start"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
