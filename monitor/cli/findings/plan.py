"""`driftd plan`: the number of cases, repeats and nights that detect an effect at a given noise."""

from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel

from monitor.api.schema import DetectableEffectItem, NoiseItem
from monitor.cli.connection.client import Api, connect
from monitor.cli.options import DEFAULT_CONFIG, AsJson, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import note, print_json, print_line, print_table
from monitor.domain.detectable import horizons
from monitor.errors import UsageError

if TYPE_CHECKING:
    from monitor.stats.power import Noise, Plan

FALLS = {"silent": "that is not announced", "announced": "that begins with an announced change"}
SHOWN = 15  # printed alternatives; --json has all


class AlternativeItem(BaseModel):
    cases: int
    repeats: int
    nights: int
    samples: int


class NoiseFloorItem(BaseModel):
    """The smallest effect, in points, that any number of cases detects within this number of nights."""

    nights: int
    points: float
    enough: bool


class PlanItem(BaseModel):
    effect_points: float
    power: float
    alpha: float
    within_variance: float
    within_interval: tuple[float, float] | None
    case_night_variance: float
    night_sd_points: float
    measured: bool
    repeats: int
    detectable: tuple[DetectableEffectItem, ...] = ()
    alternatives: list[AlternativeItem]
    floors: list[NoiseFloorItem]


def plan(
    *,
    effect: Annotated[float, typer.Option(help="The effect to detect, in percentage points (2 is 2 %).")],
    power: Annotated[float, typer.Option(help="Probability of detection, from 0.5 to below 1.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="False alarm probability after a change.")] = 0.05,
    deployment: Annotated[
        str | None, typer.Option("--deployment", "-d", help="Measure the noise of this deployment.")
    ] = None,
    set_name: Annotated[str | None, typer.Option("--set", "-s", help="Measure the noise of this eval set.")] = None,
    within_variance: Annotated[
        float | None, typer.Option(help="Use this noise and do not measure: mean of p (1 - p) over the cases.")
    ] = None,
    night_sd: Annotated[
        float, typer.Option(help="With --within-variance: standard deviation between nights, in percentage points.")
    ] = 0.0,
    baseline_nights: Annotated[int, typer.Option(min=1, help="Nights before the change.")] = 14,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Compute how many cases, repeats and nights detect an effect of an announced change.

    Exit code 1 when no plan detects it at the given noise. With --within-variance nothing is measured: the command
    reads no configuration and calls no daemon.
    """
    from monitor.stats.power import Noise
    from monitor.stats.power import plan as planned

    if within_variance is None:
        with connect(config_path=config, url=url, token_file=token_file, ca_file=ca_file) as api:
            found = _measured(api, deployment, set_name)
        noise = _noise_of(found)
    else:
        found = None
        noise = Noise(within_variance=within_variance, night_variance=(night_sd / 100.0) ** 2)

    try:
        answer = planned(effect / 100.0, noise, power=power, alpha=alpha, baseline_nights=baseline_nights)
    except ValueError as error:
        raise UsageError(str(error)) from None
    item = _item(answer, noise, found, effect=effect, power=power, alpha=alpha)
    if as_json:
        print_json(item)
    else:
        _print(item)
    if not item.alternatives:
        raise typer.Exit(1)


def _measured(api: Api, deployment: str | None, set_name: str | None) -> NoiseItem:
    """Return the noise that the stored nights of the set have."""
    if deployment is None or set_name is None:
        raise UsageError("name what to measure (--deployment and --set), or give the noise (--within-variance)")
    found = api.get("/api/v1/noise", NoiseItem, deployment=deployment, set_name=set_name)
    if found.within_variance is None:
        raise UsageError(
            f"set {set_name!r} has too few nights of one version to estimate its noise ({found.nights}): "
            "replay it again, or give --within-variance"
        )
    if found.night_variance is None:
        note("the night effect is unknown and assumed to be zero")
    return found


def _noise_of(found: NoiseItem) -> "Noise":
    from monitor.stats.power import Noise

    return Noise(
        within_variance=found.within_variance or 0.0,
        night_variance=found.night_variance or 0.0,
        case_night_variance=found.case_night_variance or 0.0,
    )


def _item(
    found: "Plan", noise: "Noise", measured: NoiseItem | None, *, effect: float, power: float, alpha: float
) -> PlanItem:
    return PlanItem(
        effect_points=effect,
        power=power,
        alpha=alpha,
        within_variance=noise.within_variance,
        within_interval=measured.within_interval if measured is not None else None,
        case_night_variance=noise.case_night_variance,
        night_sd_points=100.0 * noise.night_variance**0.5,
        measured=measured is not None,
        repeats=measured.repeats if measured is not None else 0,
        detectable=measured.detectable if measured is not None else (),
        alternatives=[
            AlternativeItem(cases=a.n, repeats=a.k, nights=a.nights, samples=a.samples) for a in found.alternatives
        ],
        floors=[NoiseFloorItem(nights=f.nights, points=100.0 * f.effect, enough=f.enough) for f in found.floors],
    )


def _print(item: PlanItem) -> None:
    print_line(f"{item.effect_points:g} points, power {item.power:g}, alpha {item.alpha:g}; {_noise(item)}")
    rows = [(a.nights, a.cases, a.repeats, a.samples) for a in item.alternatives[:SHOWN]]
    print_table(("nights", "cases", "repeats", "samples"), rows, "no number of cases detects this effect at this noise")
    short = [
        f"{f.points:.1f} points in {f.nights} {'night' if f.nights == 1 else 'nights'}"
        for f in item.floors
        if not f.enough
    ]
    if short:
        print_line(f"smallest effect for a set of any size: {', '.join(short)}; only more nights help")
    for scenario, words in FALLS.items():
        found = [(each.nights, each.effect) for each in item.detectable if each.scenario == scenario]
        if found:
            print_line(f"the set currently detects a fall of {horizons(found)} {words}, with 80 % power")


def _noise(item: PlanItem) -> str:
    """Return the noise and how it was measured: only repeats in one night isolate sampling noise."""
    how = "measured" if item.measured else "given"
    sure = ""
    if item.within_interval is not None:
        low, high = item.within_interval
        sure = f" (95 % {low:.4f} to {high:.4f}, from {item.repeats} repeats in one night)"
    elif item.measured:
        sure = " (from night to night: no case was repeated in one night)"
    moved = item.case_night_variance
    single = f", variance of single cases between nights {moved:.4f}" if moved else ""
    return (
        f"{how} noise: variance within a case {item.within_variance:.4f}{sure}{single}, night effect "
        f"{item.night_sd_points:.2f} points"
    )
