"""Scans for the tests, from the synthetic town."""

import numpy as np
import parte
import pytest


@pytest.fixture(scope="session")
def town():
    return parte.open_synthetic("town")


@pytest.fixture(scope="session")
def scans(town):
    """Two scans some metres apart, and the true transform between them. Nobody may change them."""
    source, target = town[0], town[40]
    source.flags.writeable = target.flags.writeable = False
    return source, target, np.linalg.inv(town.poses[40]) @ town.poses[0]


@pytest.fixture(scope="session")
def features(scans):
    return parte.extract(scans[0], voxel=0.5), parte.extract(scans[1], voxel=0.5)


@pytest.fixture
def box():
    """2,000 points on the faces of a cube of 20 m, seen from within."""
    random = np.random.default_rng(1)
    points = random.uniform(-10, 10, (2000, 3)).astype(np.float32)
    points[np.arange(2000), np.arange(2000) % 3] = np.where(np.arange(2000) % 2, -10, 10)
    return points
