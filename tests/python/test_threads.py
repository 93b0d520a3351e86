"""Calls from several threads, and the GIL."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import parte


def bits(result):
    return (
        result.status,
        result.T_target_source.tobytes(),
        result.information.tobytes(),
        result.clique_matches.tobytes(),
        result.clique_points.tobytes(),
    )


def test_threads_get_the_same_bits(town):
    scans = [town[i] for i in range(0, 40, 10)]
    features = [parte.extract(scan, voxel=0.6) for scan in scans]
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    alone = [bits(parte.align(features[i], features[j])) for i, j in pairs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda scan: parte.extract(scan, voxel=0.6), scans * 4))
        for k, other in enumerate(together):
            assert np.array_equal(other.descriptors, features[k % 4].descriptors)
        shared = list(pool.map(lambda p: bits(parte.align(features[p[0]], features[p[1]])), pairs * 3))
        whole = list(pool.map(lambda p: bits(parte.register(scans[p[0]], scans[p[1]], voxel=0.6)), pairs))
    assert shared == alone * 3
    assert whole == alone


def test_the_gil_is_released_while_computing(scans):
    ticks, done = [0], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks[0] += 1

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=tick)
    try:
        sys.setswitchinterval(1000)  # nobody gets the GIL unless its holder lets go of it
        thread.start()
        seen = []
        for _ in range(20):
            before = ticks[0]
            parte.extract(scans[0], threads=1)
            seen.append(ticks[0] - before)
    finally:
        done.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert any(seen)
