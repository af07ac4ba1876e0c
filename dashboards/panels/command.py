"""A shell command to copy. A click selects all of it, and it wraps on a phone.

`st.code` loads a highlighter of all languages, which takes a browser a third of a second of CPU time.
"""

import streamlit as st

from dashboards.palette import colours
from dashboards.word_diff import escaped

_COMMAND = (
    '<pre tabindex="0" style="margin:0;padding:0.6rem 0.8rem;border:1px solid {grid};border-radius:0.5rem;'
    'white-space:pre-wrap;overflow-wrap:anywhere;user-select:all"><code>{command}</code></pre>'
)


def show_command(command: str) -> None:
    st.html(_COMMAND.format(grid=colours().grid, command=escaped(command)))
