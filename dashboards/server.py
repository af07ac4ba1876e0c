"""Runs the pages for a driftd command: `python -m dashboards.server --host HOST --port PORT [-- PAGE ARGUMENTS]`.

Standard input is a pipe from the parent. The operating system closes it when the parent ends, even by SIGKILL. This
process then ends too, so no page server outlives its daemon.
"""

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

GRACE_S = 5.0
PAGE = Path(__file__).with_name("app.py")


def main() -> None:
    parser = argparse.ArgumentParser(prog="dashboards.server")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("page_arguments", nargs="*")
    given = parser.parse_args()
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()

    from streamlit import net_util
    from streamlit.web import cli

    # A foreign Origin makes Streamlit ask a public service for this machine's address.
    net_util.get_external_ip = lambda: None
    cli.main(["run", str(PAGE), *flags(given.host, given.port), "--", *given.page_arguments], prog_name="streamlit")


def flags(host: str, port: int) -> list[str]:
    """Return Streamlit's options. On the command line they override every configuration file of the machine."""
    return [
        f"--server.address={host}",
        f"--server.port={port}",
        "--server.headless=true",  # open no browser and do not ask for an e-mail address
        "--server.enableCORS=true",  # check the Origin of WebSockets, so that other web pages cannot read the data
        "--server.enableXsrfProtection=true",
        "--server.fileWatcherType=none",
        "--browser.gatherUsageStats=false",
    ]


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(GRACE_S)
    os._exit(1)


if __name__ == "__main__":
    main()
