"""Sends the requests of a page at once, instead of one after the other."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from dashboards.snapshot import REQUESTS_AT_ONCE


def read_ahead(*reads: Callable[[], object]) -> None:
    """Run cached reads at once. The page reads them again from the cache, and gets the error of one that failed."""
    context = get_script_run_ctx()

    def join() -> None:
        add_script_run_ctx(threading.current_thread(), context)

    with ThreadPoolExecutor(REQUESTS_AT_ONCE, initializer=join) as pool:
        for read in reads:
            pool.submit(read)
