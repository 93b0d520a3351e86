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


def lets_others_run(call):
    """Whether another thread gets the GIL during some of a few calls."""
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
            call()
            seen.append(ticks[0] - before)
    finally:
        done.set()
        sys.setswitchinterval(interval)
        thread.join()
    return any(seen)


def test_the_gil_is_released_while_computing(scans):
    assert lets_others_run(lambda: parte.extract(scans[0], threads=1))
    assert lets_others_run(lambda: parte.Cloud(np.zeros((300_000, 3))))
    assert lets_others_run(lambda: parte.Graph(np.zeros((3000, 3000), bool)))
    poses = np.tile(np.eye(4), (20_000, 1, 1))
    poses[:, 0, 3] = np.arange(20_000)
    assert lets_others_run(lambda: parte.metrics.rpe(poses, poses))
    assert lets_others_run(lambda: parte.metrics.kitti_error(poses, poses))
    assert not lets_others_run(lambda: sorted(range(200_000)))  # what tells is not the time alone


def test_the_gil_is_released_while_reading(tmp_path):
    file = tmp_path / "poses.txt"
    file.write_text("1 0 0 1 0 1 0 2 0 0 1 3\n" * 20_000)
    assert lets_others_run(lambda: parte.read_trajectory(file))
    file.write_text("seq i seq_db j pose\n" + "0 5 0 9 1 0 0 1.5 0 1 0 -2 0 0 1 0 0 0 0 1\n" * 5_000)
    assert lets_others_run(lambda: parte.read_kitti_pairs(file, "root"))
