"""Memory over a thousand calls."""

import ctypes
import gc
import os
import sys

import numpy as np
import parte

BOUND_MB = 8


def resident_mb():
    """What the process holds, without memory that is free but not yet given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def calls(points, count, keep):
    """Every way in and out; `keep` gets what should be gone afterwards."""
    for _ in range(count):
        cloud = points.copy()
        features = parte.extract(cloud, voxel=3.0, threads=1)
        result = parte.align(features, features, verification={"max_hypotheses": 1})
        keep((cloud, features, features.cloud.points, features.descriptors, result.clique_points))
        for bad in ({"voxel": -1.0}, {"nothing": 1}):
            try:
                parte.extract(cloud, **bad)
            except ValueError:
                pass


def growth_mb(points, count, keep):
    calls(points, 50, lambda things: None)
    before, references = resident_mb(), sys.getrefcount(points)
    calls(points, count, keep)
    assert sys.getrefcount(points) == references
    return resident_mb() - before


def test_a_thousand_calls_leave_no_memory_behind(box):
    assert growth_mb(np.tile(box, (10, 1)), 1000, lambda things: None) < BOUND_MB


def test_the_bound_would_tell(box):
    # Fewer calls than above, so that keeping one thing of each of a thousand calls is far beyond the bound.
    points = np.tile(box, (10, 1))
    for kind in ("cloud", "features"):
        kept = []
        assert growth_mb(points, 200, lambda things: kept.append(things[kind == "features"])) > BOUND_MB
