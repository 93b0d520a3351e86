"""Python's results are C++'s, bit for bit."""

import os
import subprocess
from pathlib import Path

import numpy as np
import parte
import pytest

REFERENCE = os.environ["PARTE_PYTHON_REFERENCE"]
DATA = Path(os.environ.get("PARTE_TEST_DATA") or Path(__file__).resolve().parents[3] / "shared/data")


def reference(source, target, sensor, voxel, shift):
    command = [REFERENCE, str(source), str(target), sensor, str(voxel), *map(str, shift)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {words[0]: np.array([float.fromhex(word) for word in words[1:]]) for words in map(str.split, lines)}


def features_of(f):
    planes = f.planes.planes
    return {
        "origin": f.cloud.origin,
        "points": f.cloud.points,
        "normals": f.cloud.normals,
        "dropped": f.dropped,
        "ground": f.ground,
        "plane_centroids": [p.centroid for p in planes],
        "plane_normals": [p.normal for p in planes],
        "context": f.planes.context,
        "box_context": f.planes.box_context,
        "point_indices": f.point_indices,
        "descriptors": f.descriptors,
    }


def result_of(r):
    names = """success T_target_source T_clique information surface_information surface_rms_m clique_points
               clique_matches clique_planes clique_weight hypotheses point_candidates point_rms_m covariance"""
    values = {name: getattr(r, name) for name in names.split()}
    values["overlap"] = [r.overlap.agreement, r.overlap.sharpness, r.overlap.fraction]
    return {name: value for name, value in values.items() if value is not None}


def require_equal(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name in ours:
        a, b = (np.asarray(values[name], dtype=float).ravel() for values in (ours, theirs))
        np.testing.assert_array_equal(a, b, err_msg=name)


def check(folder, source, target, sensor, voxel, shift=(0, 0, 0)):
    """`source` and `target` are float32; with a shift, the source goes in as float64."""
    for name, points in (("source.bin", source), ("target.bin", target)):
        np.column_stack([points, np.zeros(len(points))]).astype(np.float32).tofile(folder / name)
    moved = source if shift == (0, 0, 0) else source.astype(np.float64) + np.array(shift)
    a = parte.extract(moved, voxel=voxel, sensor=sensor)
    b = parte.extract(target, voxel=voxel, sensor=sensor)
    result = parte.align(a, b)
    expected = reference(folder / "source.bin", folder / "target.bin", sensor, voxel, shift)
    require_equal({**features_of(a), **result_of(result)}, expected)
    require_equal(result_of(parte.register(moved, target, voxel=voxel, sensor=sensor)), result_of(result))
    return result


def test_town(tmp_path, scans):
    result = check(tmp_path, scans[0], scans[1], "lidar", 0.5)
    assert result.success
    assert np.linalg.norm((np.linalg.inv(scans[2]) @ result.T_target_source)[:3, 3]) < 0.1


def test_float64_far_from_the_origin(tmp_path, scans):
    assert check(tmp_path, scans[0], scans[1], "lidar", 0.5, shift=(447000.25, 5412000.5, 120.0)).success


def test_points_that_are_not_finite(tmp_path, scans):
    spoilt = scans[0].copy()
    spoilt[::7, 1] = np.nan
    check(tmp_path, spoilt, scans[1], "lidar", 0.5)
    features = parte.extract(spoilt, voxel=0.5)
    assert features.dropped == len(spoilt[::7])
    assert np.isfinite(features.cloud.points).all()


def test_rooms(tmp_path):
    rooms = parte.open_synthetic("indoor")
    check(tmp_path, rooms[0], rooms[1], "rgbd", 0.05)


def test_scans_that_do_not_match(tmp_path, town, scans):
    farthest = np.argsort(-np.linalg.norm(town.poses[:, :3, 3], axis=1))
    results = [check(tmp_path, scans[0], town[int(far)], "lidar", 0.5) for far in farthest[:60:10]]
    assert all(not r.success and r.covariance is None for r in results)
    degenerate = [r for r in results if r.status == "degenerate"]
    assert degenerate and all(len(r.free_directions) > 0 for r in degenerate)


def test_kitti(tmp_path):
    root = DATA / "kitti"
    if not root.is_dir():
        pytest.skip(f"no recordings in {root}")
    scans = parte.kitti.Sequence(parte.kitti.find_root(root), "00")
    assert check(tmp_path, scans[0], scans[1], "lidar", 0.3).success
