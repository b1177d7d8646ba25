"""Clusters: made points with known groups are found again, whatever their order; firmness tells groups from noise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from audiometry.analysis.topics.clusters import FEWEST, SMALLEST, clusters
from audiometry.analysis.topics.topics import NO_FIRMER
from audiometry.analysis.topics.vectors import normalized
from audiometry.seeds import generator


def blobs(groups, each, noise=0.15, width=10, name="blobs"):
    """Points around the corners of a simplex, and the group of each."""
    draw = generator(0, name)
    truth = np.repeat(np.arange(groups), each)
    return normalized(np.eye(groups, width)[truth] + noise * draw.standard_normal((len(truth), width))), truth


@pytest.mark.parametrize("groups", [2, 4, 6])
def test_clear_groups_are_found_again_and_counted(groups):
    points, truth = blobs(groups, 40)
    found = clusters(points)
    assert found.k == groups
    assert adjusted_rand_score(truth, found.code) >= 0.9
    assert found.rand[1] > 0.95
    assert min(found.jaccard) > 0.9
    assert found.tried[groups][0] == pytest.approx(silhouette_score(points, found.code), abs=0.02)


def test_noise_is_called_not_firm():
    points = normalized(generator(1, "noise").standard_normal((200, 50)))
    found = clusters(points)
    assert found.rand[1] < 0.5


def test_points_in_few_dimensions_are_held_against_a_cloud_of_their_shape():
    flat = clusters(normalized(generator(1, "noise").standard_normal((200, 2))), k=6)
    assert flat.rand[1] > 0.5  # which alone would look firm
    assert 1 - flat.rand[1] > NO_FIRMER * (1 - flat.by_chance)
    points, _ = blobs(3, 40)
    clear = clusters(points, k=3)
    assert 1 - clear.rand[1] < NO_FIRMER * (1 - clear.by_chance)
    assert clusters(normalized(generator(1, "noise").standard_normal((60, 50))), k=3).by_chance is None


def test_a_seed_makes_the_same_clusters_and_an_asked_number_is_made():
    points, _ = blobs(4, 30)
    one, other = clusters(points, k=7, seed=3), clusters(points, k=7, seed=3)
    assert one.k == 7
    assert not one.tried
    assert (one.code == other.code).all()
    assert one.rand == other.rand


def test_small_and_blank_ones_are_in_none():
    points, truth = blobs(3, 30)
    far = np.zeros((SMALLEST - 1, 10))
    far[:, 9] = 1.0
    found = clusters(np.vstack([points, far, np.zeros((2, 10))]), k=4)
    assert (found.code[len(points) :] == -1).all()
    assert (found.n_small, found.n_blank) == (len(far), 2)
    assert adjusted_rand_score(truth, found.code[: len(points)]) >= 0.9


def test_what_is_left_over_is_no_topic_however_firm():
    points, truth = blobs(3, 40, width=60)
    rest = normalized(generator(2, "rest").standard_normal((60, 60)))
    found = clusters(np.vstack([points, rest]), k=4)
    assert adjusted_rand_score(truth, found.code[: len(points)]) >= 0.9
    assert (found.code[len(points) :] == -1).mean() > 0.8
    assert found.n_incoherent > 40


@pytest.mark.parametrize(
    "points", [np.zeros((100, 5)), np.ones((100, 5)) / 5**0.5, np.eye(FEWEST - 1), np.zeros((0, 3))]
)
def test_too_few_different_points_are_no_clusters(points):
    found = clusters(points)
    assert found.k == 0
    assert found.rand is None
    assert (found.code == -1).all()


def test_more_clusters_than_points_are_as_many_as_there_are_points():
    found = clusters(normalized(np.repeat(np.eye(3), 10, axis=0)), k=20)
    assert found.k == 3
