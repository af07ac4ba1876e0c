"""A part of a page with its own errors: when it fails, the rest of the page is complete."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dashboards.client import DaemonError
from dashboards.formatting import plain


@contextmanager
def part(title: str) -> Iterator[None]:
    """Draw a heading and the part below it. An error of the daemon replaces the rest of the part."""
    st.subheader(title, anchor=False)
    try:
        yield
    except DaemonError as error:
        st.error(f"**{title} cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")
