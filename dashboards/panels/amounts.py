"""Latency, cost and length of the answers of two runs: distributions, medians, 95th percentiles and their changes."""

from typing import Any

import streamlit as st

from dashboards.charts.distribution import distribution_chart
from dashboards.charts.draw import draw_chart
from dashboards.downloads import show_downloads
from dashboards.formatting import count
from dashboards.palette import colours
from dashboards.panels.grid import grid
from dashboards.panels.legend import show_legend
from monitor.api.schema.compared_amounts import ComparedAmountItem, ComparedAmountsItem

NAMES = {"latency_ms": "Latency", "cost_usd": "Cost of an answer", "output_tokens": "Output tokens"}
UNITS = {"latency_ms": "ms", "cost_usd": "USD", "output_tokens": "tokens"}


OPEN = "open"


def show_amounts_of_runs(found: ComparedAmountsItem, opened: str | None, visit: str) -> str | None:
    """Show the medians and 95th percentiles, and the distributions while they are opened. Return OPEN if they are. A
    browser loads the library of the charts only for them.
    """
    st.subheader("Latency and cost", anchor=False)
    if not found.amounts:
        st.caption("The runs did not report latency, cost or tokens.")
        return opened
    rows = [row for amount in found.amounts for row in _rows(amount)]
    st.dataframe([_shown(row) for row in rows], hide_index=True, key="quantiles of the amounts")
    st.caption("The interval of a change is a bootstrap that takes the answers as independent.")
    distributions = st.expander(
        "Distributions", expanded=opened == OPEN, key=f"distributions{visit}", on_change="rerun"
    )
    if distributions.open:
        with distributions:
            _show_distributions(found)
    show_downloads(f"amounts-{found.baseline}-{found.candidate}", rows)
    return OPEN if distributions.open else None


def _show_distributions(found: ComparedAmountsItem) -> None:
    for where, amount in zip(grid(len(found.amounts)), found.amounts, strict=True):
        with where:
            _show(amount)
    show_legend(dict(zip(("before", "after"), colours().series, strict=False)))
    st.caption(
        "Share of the answers up to each value; the dots are the median and the 95th percentile. Before is dashed."
    )


def _show(amount: ComparedAmountItem) -> None:
    st.markdown(f"**{NAMES[amount.name]}** :gray[{count(amount.candidate.answers, 'answer')} after]")
    marks = [
        (side, name, value)
        for name, change in (("median", amount.median), ("p95", amount.p95))
        for side, value in (("before", change.baseline), ("after", change.candidate))
    ]
    quantiles = {"before": amount.baseline.quantiles, "after": amount.candidate.quantiles}
    chart = distribution_chart(
        quantiles, marks, title=f"{NAMES[amount.name].lower()} ({UNITS[amount.name]})", height=220
    )
    draw_chart(chart, key=f"distribution of {amount.name}")


def _rows(amount: ComparedAmountItem) -> list[dict[str, Any]]:
    return [
        {"amount": amount.name, "unit": UNITS[amount.name], "quantile": name, **change.model_dump()}
        for name, change in (("median", amount.median), ("p95", amount.p95))
    ]


def _shown(row: dict[str, Any]) -> dict[str, str]:
    return {
        "amount": NAMES[row["amount"]],
        "quantile": row["quantile"],
        "before": _number(row["baseline"]),
        "after": _number(row["candidate"]),
        "change": _signed(row["difference"]),
        "95 % interval": f"{_signed(row['ci_low'])} to {_signed(row['ci_high'])}",
        "unit": row["unit"],
    }


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _signed(value: float) -> str:
    """Return a change with its sign; no sign for zero."""
    if value == 0:
        return "0"
    return f"{'+' if value > 0 else '−'}{_number(abs(value))}"
