"""The style that all pages share, where Streamlit's own has too little contrast or cuts texts."""

import streamlit as st

# Streamlit leaves a wide margin above every page. Use less, so that more of the page is visible.
# Captions have 60 % of the contrast of the text, too little for small text: the ratio is 4.15, and WCAG demands 4.5.
# The label of a link is cut at the end of its line: names of alerts are longer than a phone is wide.
STYLE = """<style>
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }
[data-testid="stCaptionContainer"] { opacity: .8; }
[data-testid="stMetricDelta"] *, [data-testid="stMetric"] p { white-space: normal; overflow: visible; }
[data-testid="stPageLink-NavLink"] p { white-space: normal; overflow: visible; overflow-wrap: anywhere; }
[data-testid="stPageLink-NavLink"], [data-testid="stPageLink-NavLink"] > span { height: auto; overflow: visible; }
[data-testid^="stBaseButton-primary"] { color: var(--driftd-on-primary); }
</style>"""
# White on the light blue of the dark theme has a contrast of 2.94.
LIGHT = "<style>:root { --driftd-on-primary: #ffffff; }</style>"
DARK = "<style>:root { --driftd-on-primary: #10161d; }</style>"


def show_style() -> None:
    """Add the style to the page, in the theme of the reader."""
    st.html(STYLE + (DARK if st.context.theme.type == "dark" else LIGHT))
