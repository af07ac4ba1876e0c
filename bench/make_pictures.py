"""Draws the pictures of docs/read-a-verdict.md: `python bench/make_pictures.py`.

All are computed, seeded and made by the package's own functions; equal code gives equal files in docs/images.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: the arrays are small

from bench.picture_book.collapse import draw_collapse
from bench.picture_book.intervals import draw_intervals
from bench.picture_book.small_drop import draw_evidence, draw_nights

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PICTURES: Mapping[str, Callable[[], str]] = {
    "verdict-nights.svg": draw_nights,
    "verdict-evidence.svg": draw_evidence,
    "verdict-intervals.svg": draw_intervals,
    "verdict-category.svg": draw_collapse,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=IMAGES, help="the folder to write to")
    folder = parser.parse_args().out
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(), encoding="utf-8")
        print(folder / name)


if __name__ == "__main__":
    main()
