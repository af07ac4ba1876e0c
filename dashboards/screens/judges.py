"""Judges: how far each judge can be trusted, whether it moved, and its biases."""

import streamlit as st

from dashboards.actions import show_news
from dashboards.charts.calibration import MEASURES, calibration_chart
from dashboards.charts.draw import draw_chart
from dashboards.client import Client, DaemonError
from dashboards.downloads import show_downloads
from dashboards.formatting import plain
from dashboards.linked_choice import linked_segments, show_address
from dashboards.live import connection_now
from dashboards.panels.alerts.part import part
from dashboards.panels.empty import show_empty
from dashboards.panels.judges.bias import show_bias
from dashboards.panels.judges.corrected import show_corrected
from dashboards.panels.judges.events import show_events
from dashboards.panels.judges.judge_list import choose_judges, show_judges
from dashboards.panels.judges.rescores import show_rescore, show_rescores
from dashboards.panels.judges.sentinels import show_acceptance, show_sentinels
from dashboards.panels.judges.standing import show_standing
from dashboards.requests import judges as requests
from dashboards.requests.judges import Place
from dashboards.times import zone_name
from monitor.api.schema.judge_history import JudgeHistoryItem

PAGE = "screens/judges.py"


def show() -> None:
    """Draw the page when it is opened and after each action, without a timer: a timer would discard typed text."""
    show_address()
    place = _linked()
    st.title("Judge" if place else "Judges", anchor=False)
    try:
        with connection_now().open() as client:
            _show_page(client, place)
    except DaemonError as error:
        st.error(f"**The judges cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")
        st.page_link(PAGE, label="All judges", icon=":material/arrow_back:")


def _linked() -> Place | None:
    """Return the judge of the address; None without one."""
    parts = [st.query_params.get(name) for name in ("deployment", "set", "scorer")]
    deployment, set_name, scorer = parts
    if deployment is None or set_name is None or scorer is None:
        return None
    return Place(deployment=deployment, set_name=set_name, scorer=scorer)


def _show_page(client: Client, place: Place | None) -> None:
    st.caption(
        f"`{connection_now().url}` · A judge is a model that grades replies. It is an instrument: people measure it. "
        f"Times in {zone_name()}."
    )
    if place is not None:
        st.page_link(PAGE, label="All judges", icon=":material/arrow_back:")
        _show_one(client, place)
        return
    found = requests.judges(client)
    if not found:
        show_empty(
            "No judge has graded an outcome yet.",
            do="A set has a judge if one of its scorers asks a model, such as the kind `rubric`. Configure one "
            "(docs/judges.md) and replay the set. Until then all scores come from rules, which need no calibration.",
            command="driftd judges list",
        )
        return
    show_judges(choose_judges(found))


def _show_one(client: Client, place: Place) -> None:
    st.markdown(f"### {plain(place.scorer)} · {plain(place.set_name)} · {plain(place.deployment)}")
    show_news()
    found, history = requests.judge(client, place), requests.history(client, place)
    show_standing(found, history, place)
    if found.state == "drifted":
        show_acceptance(client, place, client.sender(), st.session_state.get("operator"))
    with part("Calibration over time"):
        _show_calibration(history, place)
    with part("Sentinels"):
        show_sentinels(requests.sentinels(client, place), history, place)
    with part("Bias"):
        show_bias(requests.bias(client, place))
    with part("Pass rates of runs"):
        show_corrected(found.runs)
    with part("Rescores"):
        show_rescores(requests.rescores(client, place), place)
        if "rescore" in st.query_params:
            show_rescore(requests.rescore(client, st.query_params["rescore"]))
    with part("Events"):
        show_events(history)


def _show_calibration(history: JudgeHistoryItem, place: Place) -> None:
    measure = linked_segments(
        st.container(), "Measure", list(MEASURES), name="measure", format_func=MEASURES.__getitem__, visible=False
    )
    chart = calibration_chart(history, measure, zone=zone_name())
    if chart is None:
        show_empty(
            "Agreement with people is not known yet.",
            do="It needs blind reviews of outcomes that the judge passed and of outcomes that it failed. Review on the "
            "page *Review*, or in a terminal:",
            command=f"driftd review outcomes --deployment {place.deployment} --set {place.set_name} "
            f"--scorer {place.scorer}",
        )
        return
    draw_chart(chart, key="calibration over time")
    st.caption(
        "Each point is the agreement after all reviews until that day, with its 95 % interval. A change of the model, "
        "the prompt or the rubric is another judge: it starts without reviews."
    )
    points = [
        {"model": each.model, "prompt": each.prompt, "rubric": each.rubric} | point.model_dump(mode="json")
        for each in history.judges
        for point in each.points
    ]
    show_downloads(f"calibration of {place.scorer}", points)


show()
