"""`driftd rank`: ranks candidates by stored runs, or models by the battles of a file, which needs no configuration."""

from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema import RankingItem
from monitor.cli.choice.candidates import Names, NightsOption, SetOption, two_or_more
from monitor.cli.choice.ranking_view import print_ranking
from monitor.cli.connection.client import connect
from monitor.cli.options import DEFAULT_CONFIG, AsJson, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import print_json
from monitor.errors import UsageError

SEED = 1  # the same file gives the same ranking


def rank(
    *,
    names: Names = None,
    battles: Annotated[
        Path | None,
        typer.Option("--battles", help="Rank the models of a file: JSON Lines or CSV with winner, model_a, model_b."),
    ] = None,
    set_name: SetOption = None,
    nights: NightsOption = 7,
    by: Annotated[str, typer.Option("--by", help="scores of cases, or verdicts of pairwise judges.")] = "scores",
    draws: Annotated[int, typer.Option(min=100, max=5000, help="Number of resamples.")] = 1000,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Rank candidates by Bradley-Terry strengths, with intervals, rank ranges and the stability of the order.

    The candidate with the higher score on a case wins; equal scores are a tie. With --battles nothing stored is read:
    the command needs no configuration and no daemon.
    """
    if by not in {"scores", "judges"}:
        raise UsageError(f"--by must be scores or judges, found {by!r}")
    if battles is not None:
        if names:
            raise UsageError("give candidates or --battles FILE, not both")
        item = _of_file(battles, draws)
    else:
        chosen = {"candidate": two_or_more(names), "set_name": set_name, "nights": nights, "by": by, "draws": draws}
        with connect(config_path=config, url=url, token_file=token_file, ca_file=ca_file) as api:
            item = api.get("/api/v1/choices/ranking", RankingItem, **chosen)
    if as_json:
        print_json(item)
    else:
        print_ranking(item)


def _of_file(path: Path, draws: int) -> RankingItem:
    import numpy as np  # slow to import

    from monitor.api import encode_choice
    from monitor.choice.ranking import rank as ranked
    from monitor.cli.choice.battle_file import read_battles

    return encode_choice.ranking(ranked(read_battles(path), np.random.default_rng(SEED), draws=draws))
