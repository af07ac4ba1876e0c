"""Topics of the inputs of a night: clusters of words, fitted to the reference and applied to the night."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

TOPICS = 8
MOST_WORDS = 2_000
MOST_FITTED = 5_000  # more inputs move the centres little and take their time
FEWEST_TEXTS = 200  # fewer make clusters of chance
SEED = 20_000


def topics_of(reference: Sequence[str | None], now: Sequence[str | None]) -> tuple[list[str | None], list[str | None]]:
    """Return `topic 1` (the largest in the reference) to `topic 8` for each input of both windows; None without a text.

    The method is TF-IDF of words that five inputs share, and k-means with a fixed seed, fitted to the reference only. A
    new subject joins the nearest topic or the topic of unrelated inputs; both show as a shift. Topics have numbers as
    names, because their words are words of users. All are None when there are too few inputs for clusters.
    """
    fitted = [text for text in reference if text is not None][:MOST_FITTED]
    nothing: tuple[list[str | None], list[str | None]] = ([None] * len(reference), [None] * len(now))
    if len(fitted) < FEWEST_TEXTS:
        return nothing
    try:
        vectors, clusters = _fit(fitted)
    except ValueError:  # no word that five inputs share
        return nothing
    sizes = np.bincount(clusters.labels_, minlength=TOPICS)
    place = {int(label): position for position, label in enumerate(np.argsort(-sizes, kind="stable"), start=1)}

    def name(texts: Sequence[str | None]) -> list[str | None]:
        known = [text for text in texts if text is not None]
        labels = iter(clusters.predict(vectors.transform(known)) if known else ())
        return [None if text is None else f"topic {place[int(next(labels))]}" for text in texts]

    return name(reference), name(now)


def _fit(texts: list[str]) -> tuple[Any, Any]:
    from sklearn.cluster import KMeans  # slow to import
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(max_features=MOST_WORDS, min_df=5, sublinear_tf=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different inputs than topics: some stay empty
        return vectors, KMeans(TOPICS, n_init=1, random_state=SEED).fit(vectors.fit_transform(texts))
