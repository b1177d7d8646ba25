"""Points put into clusters by k-means; how many, by their silhouettes; and how firm they are, over half-samples.

Sources: Rousseeuw 1987, J. Comput. Appl. Math. 20, 53-65 (silhouettes); Hubert and Arabie 1985, J. Classif. 2,
193-218 (adjusted Rand index); Hennig 2007, Comput. Stat. Data Anal. 52, 258-271 (stability of single clusters);
Liu, Hayes, Nobel and Marron 2008, J. Am. Stat. Assoc. 103, 1281-1293 (held against one normal cloud of the same shape).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds

Codes = NDArray[np.int64]
Points = NDArray[np.float64]

FEWEST: Final = 20  # points below which there is nothing to look for
SMALLEST: Final = 5  # points of a cluster that is one
LOOSE: Final = 0.1  # mean cosine between two points of a cluster, about the middle of all, below which it is none
TRIED: Final = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)
HALVES: Final = 20  # samples of half of the points, for stability
_FEW_HALVES: Final = 6  # of them while k is chosen
_AS_FIRM: Final = 0.1  # how much less firm than the firmest the chosen k may be
_CLOUDS: Final = 3  # normal clouds that few-dimensional points are held against
_FLAT: Final = 10  # dimensions from which on a cloud without clusters is never firm
_FIT: Final = 20_000  # points that clusters are made of; the others go to the nearest
_LOOKED_AT: Final = 5_000  # points by which k is chosen and stability told
_HELD: Final = 2_000  # points whose silhouettes are worked out, as each is held against all
_OF_ONE: Final = 100  # points of one cluster, the same


class Clusters(msgspec.Struct, frozen=True, kw_only=True):
    """Points in clusters.

    Attributes:
        code: ``int64[n]``, the cluster of each point, 0 to ``k - 1``; -1: in none.
        k: clusters before small and incoherent ones were dissolved.
        tried: by k, the mean silhouette and the adjusted Rand index with the clusters of half-samples, where k was
            chosen.
        silhouette: of each cluster that is left, the mean of its points, -1 to 1.
        jaccard: of each cluster that is left, its mean likeness to the most alike cluster of half-samples, 0 to 1.
        rand: adjusted Rand index of all points between these and the clusters of half-samples: 5th percentile, median,
            95th; None: there are none.
        by_chance: that index, the median, of points without any clusters that lie in as few dimensions, since k-means
            cuts these in much the same places again; None: they lie in so many that it is near 0.
        n_small, n_incoherent, n_blank: points in clusters too small, in clusters that do not hold together (mean
            silhouette not above 0, or a mean cosine between two points, about the middle of all, below `LOOSE`: what
            is left when all else has a cluster), and points of length 0.
    """

    code: Codes
    k: int
    tried: dict[int, tuple[float, float]]
    silhouette: tuple[float, ...]
    jaccard: tuple[float, ...]
    rand: tuple[float, float, float] | None
    by_chance: float | None = None
    n_small: int = 0
    n_incoherent: int = 0
    n_blank: int = 0


def clusters(points: Points, *, k: int | None = None, seed: int = 0) -> Clusters:
    """Put points into clusters.

    Args:
        points: ``float64[n, d]`` of length 1, or 0: those are in none.
        k: how many; None: of those of `TRIED` that half-samples make again about as well as any (by the adjusted Rand
            index), the one with the highest mean silhouette. Silhouettes of texts alone rise with k to no end.
        seed: of all draws.
    """
    from threadpoolctl import threadpool_limits

    code = np.full(len(points), -1, np.int64)
    some = np.flatnonzero((points != 0).any(axis=1))
    n_blank = len(points) - len(some)
    n_different = len(np.unique(points[some].round(9), axis=0)) if len(some) else 0
    if len(some) < FEWEST or n_different < 2:  # noqa: PLR2004  two clusters
        return Clusters(code=code, k=0, tried={}, silhouette=(), jaccard=(), rand=None, n_blank=n_blank)
    own = points[some]
    with threadpool_limits(1):  # sums of several threads come in any order
        fit, looked, held = (own[_drawn(len(own), n, seed)] for n in (_FIT, _LOOKED_AT, _HELD))
        most = min(n_different, len(own) // SMALLEST)
        tried = {} if k else _tried(looked, held, [one for one in TRIED if one <= max(2, most)], seed)
        chosen = min(k, n_different) if k else _best(tried)
        made = _kmeans(fit, chosen, seed, n_init=10)
        found = np.asarray(made.predict(own), np.int64)
        silhouette = _of_each(own, found, chosen, seed)
        every, jaccard = _stability(looked, np.asarray(made.predict(looked), np.int64), chosen, seed, HALVES)
        by_chance = _by_chance(looked, chosen, seed)
    size = np.bincount(found, minlength=chosen)
    small = size < SMALLEST
    incoherent = ~small & ~((silhouette > 0) & (_alike(own, found, chosen) >= LOOSE))
    left = np.flatnonzero(~small & ~incoherent)
    place = np.full(chosen, -1, np.int64)
    place[left] = np.arange(len(left))
    code[some] = place[found]
    return Clusters(
        code=code,
        k=chosen,
        tried=tried,
        silhouette=tuple(silhouette[left].tolist()),
        jaccard=tuple(jaccard[left].tolist()),
        rand=(every[0], every[1], every[2]),
        by_chance=by_chance,
        n_small=int(size[small].sum()),
        n_incoherent=int(size[incoherent].sum()),
        n_blank=n_blank,
    )


def _drawn(n: int, most: int, seed: int) -> Codes:
    if n <= most:
        return np.arange(n)
    return np.sort(seeds.generator(seed, "topics", f"{most}").choice(n, most, replace=False))


def _kmeans(points: Points, k: int, seed: int, *, n_init: int) -> Any:
    from sklearn.cluster import KMeans

    made: Any = KMeans
    return made(k, n_init=n_init, random_state=seeds.number(seed, "topics", f"k-means {k}") % 2**32).fit(points)


def _tried(points: Points, held: Points, ks: list[int], seed: int) -> dict[int, tuple[float, float]]:
    from sklearn.metrics import silhouette_score

    found = {}
    for k in ks:
        made = _kmeans(points, k, seed, n_init=3)
        code = made.predict(held)
        n = len(np.unique(code))
        silhouette = float(silhouette_score(held, code)) if 1 < n < len(held) else -1.0
        (_, rand, _), _ = _stability(points, made.labels_, k, seed, _FEW_HALVES)
        found[k] = silhouette, rand
    return found


def _best(tried: dict[int, tuple[float, float]]) -> int:
    """The number of clusters to make."""
    firmest = max(rand for _, rand in tried.values())
    firm = {k: silhouette for k, (silhouette, rand) in tried.items() if rand >= firmest - _AS_FIRM}
    return max(firm, key=lambda k: (round(firm[k], 6), -k))


def _of_each(points: Points, code: Codes, k: int, seed: int) -> Points:
    """The mean silhouette of each cluster, by at most a hundred points of each."""
    from sklearn.metrics import silhouette_samples

    draw = seeds.generator(seed, "topics", "silhouettes")
    rows = np.concatenate([draw.permutation(np.flatnonzero(code == one))[:_OF_ONE] for one in range(k)])
    n = np.bincount(code[rows], minlength=k)
    if not 1 < int((n > 0).sum()) < len(rows):
        return np.zeros(k)
    each = np.asarray(silhouette_samples(points[rows], code[rows]), np.float64)
    return np.asarray(np.bincount(code[rows], each, minlength=k) / np.maximum(n, 1), np.float64)


def _alike(points: Points, code: Codes, k: int) -> Points:
    """The mean cosine between two points of each cluster, about the middle of all."""
    centred = points - points.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    n = np.bincount(code, minlength=k).astype(np.float64)
    sums = np.zeros((k, points.shape[1]))
    np.add.at(sums, code, centred)
    alike: Points = ((sums**2).sum(axis=1) - n) / np.maximum(n * (n - 1), 1)
    return alike


def _stability(points: Points, code: Codes, k: int, seed: int, halves: int) -> tuple[list[float], Points]:
    """Adjusted Rand index with the clusters of half-samples (5th percentile, median, 95th), and each one's likeness."""
    from sklearn.metrics import adjusted_rand_score

    rand, alike = [], np.zeros(k)
    size = np.bincount(code, minlength=k)
    for number in range(halves):
        draw = seeds.generator(seed, "topics", "half", str(number))
        half = points[np.sort(draw.choice(len(points), len(points) // 2, replace=False))]
        made = min(k, len(np.unique(half.round(9), axis=0)))
        other = _kmeans(half, made, seeds.number(seed, str(number)), n_init=3).predict(points)
        rand.append(adjusted_rand_score(code, other))
        both = np.bincount(code * made + other, minlength=k * made).reshape(k, made)
        either = size[:, None] + both.sum(axis=0)[None] - both
        alike += (both / np.maximum(either, 1)).max(axis=1)
    return np.quantile(rand, [0.05, 0.5, 0.95]).tolist(), alike / halves


def _by_chance(points: Points, k: int, seed: int) -> float | None:
    """How firm k clusters are of as many points from one normal cloud of the same shape; None: of too many dimensions.

    Their number is the participation ratio of the variances: so many equal ones would be spread as far.
    """
    centred = points - points.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    if not spread.any() or (spread**2).sum() ** 2 / (spread**4).sum() >= _FLAT:
        return None
    found = []
    for number in range(_CLOUDS):
        draw = seeds.generator(seed, "topics", "cloud", str(number))
        cloud = (
            points.mean(axis=0) + (draw.normal(size=(len(points), len(spread))) * spread / len(points) ** 0.5) @ axes
        )
        cloud /= np.maximum(np.linalg.norm(cloud, axis=1, keepdims=True), 1e-9)
        code = np.asarray(_kmeans(cloud, k, seed, n_init=3).labels_, np.int64)
        found.append(_stability(cloud, code, k, seed, _FEW_HALVES)[0][1])
    return float(np.mean(found))
