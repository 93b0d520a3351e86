"""Trajectory metrics against cases worked out by hand."""

import math

import numpy as np
import parte
import pytest
from parte import metrics


def straight(count, step=1.0, stretch=1.0):
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 0, 3] = stretch * step * np.arange(count)
    return poses


def turned(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def test_absolute_errors():
    truth = straight(3)
    # Three positions 0, 1, 2 against 0, 2, 4: aligned by their means, the errors are 1, 0, 1.
    stretched = straight(3, stretch=2.0)
    assert metrics.ate_rmse(stretched, truth) == pytest.approx(math.sqrt(2 / 3), abs=1e-12)
    # With the first poses equal they are 0, 1, 2.
    assert metrics.ate_rmse_first_pose(stretched, truth) == pytest.approx(math.sqrt(5 / 3), abs=1e-12)
    elsewhere = turned(30) @ truth
    elsewhere[:, :3, 3] += [5, 6, 7]
    assert metrics.ate_rmse(elsewhere, truth) == pytest.approx(0, abs=1e-12)
    moved = metrics.align_positions(elsewhere, truth) @ elsewhere
    np.testing.assert_allclose(moved[:, :3, 3], truth[:, :3, 3], atol=1e-12)


def test_relative_errors():
    truth, estimate = straight(5), straight(5, stretch=1.1)
    error = metrics.rpe(estimate, truth)
    assert error.pairs == 4
    assert error.translation_rmse_m == pytest.approx(0.1, abs=1e-12) and error.rotation_rmse_deg == 0
    assert metrics.rpe(estimate, truth, frames=2).translation_rmse_m == pytest.approx(0.2, abs=1e-12)
    assert metrics.rpe(estimate, truth, frames=9).pairs == 0
    still = np.tile(np.eye(4), (3, 1, 1))
    spinning = np.stack([turned(3 * i) for i in range(3)])
    assert metrics.rpe(spinning, still).rotation_rmse_deg == pytest.approx(3, abs=1e-9)


def test_kitti_metric():
    # 1 m a frame, 2 % too long. From frame 0 to the first beyond 100 m, which is frame 101: 2.02 m on 100 m.
    truth = straight(105)
    error = metrics.kitti_error(straight(105, stretch=1.02), truth)
    assert error.segments == 1 and error.r_rel_deg_per_100m == 0
    assert error.t_rel_percent == pytest.approx(2.02, abs=1e-9)
    assert metrics.kitti_error(truth[:100], truth[:100]) is None
    # A turn of half a degree at the end: that much on 100 m.
    bent = straight(105)
    bent[101:] = bent[101:] @ turned(0.5)
    assert metrics.kitti_error(bent, truth).r_rel_deg_per_100m == pytest.approx(0.5, abs=1e-9)


def test_poses_of_single_precision_and_lists():
    truth = straight(4)
    assert metrics.ate_rmse(truth.astype(np.float32), truth.tolist()) == pytest.approx(0, abs=1e-6)


def test_what_metrics_refuse():
    good = straight(3)
    scaled, infinite = good.copy(), good.copy()
    scaled[1, :3, :3] *= 2
    infinite[2, 0, 3] = np.inf
    for call, problem in (
        (lambda: metrics.ate_rmse(good, good[:2]), "3 and 2 poses"),
        (lambda: metrics.ate_rmse(good[:0], good[:0]), "0 and 0 poses"),
        (lambda: metrics.ate_rmse(good[0], good), r"^estimate must have the shape N x 4 x 4, not \(4, 4\)"),
        (lambda: metrics.rpe(good, scaled), r"^truth\[1\] is not a rigid transform"),
        (lambda: metrics.kitti_error(infinite, good), r"^estimate\[2\] is not a rigid transform"),
        (lambda: metrics.ate_rmse("poses", good), "^estimate must be N x 4 x 4 matrices"),
        (lambda: metrics.rpe(good, good, frames=0), "^frames must be at least 1"),
    ):
        with pytest.raises(ValueError, match=problem):
            call()
    assert parte.metrics is metrics
