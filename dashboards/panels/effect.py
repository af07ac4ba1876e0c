"""The result of a comparison in a few lines."""

import streamlit as st

from dashboards.formatting import count, percent, plain, points
from dashboards.panels.set_card import MDE_SOURCE
from monitor.api.schema import ComparisonItem


def show_effect(comparison: ComparisonItem) -> None:
    """Show both rates, the difference with its interval, the flips in each direction and the smallest detectable
    effect.
    """
    source = MDE_SOURCE.get(comparison.mde_source, comparison.mde_source)
    p_value, mde = comparison.p_value, comparison.mde
    p_text = "" if p_value is None else f", exact McNemar p {'< 0.0001' if p_value < 0.0001 else f'{p_value:.4f}'}"
    detectable = "" if mde is None else f" Smallest detectable effect: {100 * mde:.1f} points ({plain(source)})."
    st.markdown(
        f"Pass rate **{percent(comparison.baseline)} → {percent(comparison.candidate)}**, "
        f"**{points(comparison.effect)} points** "
        f"(95 % interval {points(comparison.ci_low)} to {points(comparison.ci_high)}{p_text}), "
        f"on {count(comparison.n, 'paired case')}.  \n"
        f"**{comparison.flipped_to_fail:,}** flipped to fail, **{comparison.flipped_to_pass:,}** to pass.{detectable}"
    )
