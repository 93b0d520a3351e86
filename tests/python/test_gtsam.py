"""Factors for GTSAM, where its Python package is installed."""

import sys

import numpy as np
import parte
import pytest


def test_factor(features):
    gtsam = pytest.importorskip("gtsam")
    result = parte.align(*features)
    factor = parte.gtsam_factor(7, 3, result)
    assert list(factor.keys()) == [7, 3]
    np.testing.assert_allclose(factor.measured().matrix(), result.T_target_source, atol=1e-12)
    np.testing.assert_allclose(factor.noiseModel().covariance(), result.covariance, rtol=1e-6)
    # Poses that obey the measurement make no error; the covariance has GTSAM's order, rotation first.
    values = gtsam.Values()
    values.insert(7, gtsam.Pose3())
    values.insert(3, gtsam.Pose3(result.T_target_source))
    assert factor.error(values) == pytest.approx(0, abs=1e-9)
    for axis in range(6):
        xi = np.zeros(6)
        xi[axis] = 1e-4
        values.update(3, gtsam.Pose3(result.T_target_source).retract(xi))
        expected = 0.5 * xi @ np.linalg.inv(result.covariance) @ xi
        assert factor.error(values) == pytest.approx(expected, rel=1e-2)


def test_a_result_without_success_makes_no_factor(box):
    result = parte.register(box[:3], box)
    with pytest.raises(ValueError, match='result must be a success; this one is "too few points"'):
        parte.gtsam_factor(0, 1, result)


def test_without_gtsam_the_package_is_named(features, monkeypatch):
    monkeypatch.setitem(sys.modules, "gtsam", None)
    with pytest.raises(ImportError, match="python3-gtsam"):
        parte.gtsam_factor(0, 1, parte.align(*features))
