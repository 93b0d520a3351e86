"""Scans, sequences, pairs and trajectories from files."""

import os
from pathlib import Path

import numpy as np
import parte
import pytest


@pytest.fixture
def kitti(tmp_path):
    """A KITTI sequence of three small scans; the camera looks along the LiDAR's x."""
    random = np.random.default_rng(5)
    folder = tmp_path / "sequences" / "03"
    (folder / "velodyne").mkdir(parents=True)
    scans = [random.uniform(-20, 20, (50 + i, 4)).astype(np.float32) for i in range(3)]
    for i, scan in enumerate(scans):
        scan.tofile(folder / "velodyne" / f"{2 * i:06}.bin")
    (folder / "calib.txt").write_text("P0: 1\nTr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n")
    (folder / "times.txt").write_text("".join(f"{0.1 * i}\n" for i in range(5)))
    (tmp_path / "poses").mkdir()
    (tmp_path / "poses" / "03.txt").write_text("".join(f"1 0 0 0 0 1 0 0 0 0 1 {i}\n" for i in range(5)))
    return tmp_path, scans


def test_kitti_sequence(kitti):
    root, scans = kitti
    sequence = parte.kitti.Sequence(root, "03", elevation_correction_deg=0.0)
    assert isinstance(sequence, parte.Sequence) and "3 scans, ground truth" in repr(sequence)
    assert len(sequence) == 3 and sequence.ids.tolist() == [0, 2, 4]
    np.testing.assert_array_equal(sequence.times, [0.0, 0.2, 0.4])
    for scan, expected in zip(sequence, scans):
        assert scan.dtype == np.float32
        np.testing.assert_array_equal(scan, expected[:, :3])
    np.testing.assert_array_equal(sequence[-1], scans[2][:, :3])
    assert len(list(sequence)) == 3
    # The camera's z is the LiDAR's x: two metres ahead with each of our frames.
    np.testing.assert_allclose(sequence.poses[:, :3, 3], [[0, 0, 0], [2, 0, 0], [4, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(sequence.T_camera_lidar[:3, :3], [[0, -1, 0], [0, 0, -1], [1, 0, 0]], atol=1e-12)
    assert parte.kitti.Sequence(str(root), "3", ground_truth="none").poses is None
    assert Path(parte.kitti.find_root(root)) == root


def test_kitti_elevation_is_corrected_by_default(kitti):
    root, scans = kitti
    raw, corrected = scans[0][:, :3].astype(float), parte.kitti.Sequence(root, "03")[0].astype(float)
    elevation = [np.degrees(np.arctan2(p[:, 2], np.hypot(p[:, 0], p[:, 1]))) for p in (raw, corrected)]
    np.testing.assert_allclose(elevation[1] - elevation[0], 0.205, atol=1e-4)


def test_sequences_refuse(kitti):
    root, _ = kitti
    sequence = parte.kitti.Sequence(root, "03")
    for index in (3, -4):
        with pytest.raises(IndexError, match="3 scans of KITTI 03"):
            sequence[index]
    with pytest.raises(ValueError, match="^ground_truth must be"):
        parte.kitti.Sequence(root, "03", ground_truth="perfect")
    with pytest.raises(ValueError, match="elevation_correction_deg"):
        parte.kitti.Sequence(root, "03", elevation_correction_deg=90.0)
    with pytest.raises(parte.IoError, match="07.*is not a folder"):
        parte.kitti.Sequence(root, "07")
    os.remove(root / "sequences/03/velodyne/000002.bin")
    with pytest.raises(OSError, match="000002.bin"):
        sequence[1]


def test_read_scan(tmp_path, box):
    file = tmp_path / "scan.xyz"
    np.savetxt(file, box[:10], fmt="%.9g")
    scan = parte.read_scan(file)
    np.testing.assert_array_equal(scan, box[:10])
    scan[0] = 1  # it is the caller's own
    file.write_text("1 2 3\n4 five 6\n")
    with pytest.raises(parte.IoError, match="scan.xyz: line 2"):
        parte.read_scan(str(file))


def test_open_folder(tmp_path, box):
    for i in (3, 7):
        np.column_stack([box[:i], np.zeros(i)]).astype(np.float32).tofile(tmp_path / f"{i}.bin")
    folder = parte.open_folder(tmp_path)
    assert folder.ids.tolist() == [3, 7] and [len(scan) for scan in folder] == [3, 7] and folder.poses is None


def test_synthetic_worlds_are_the_same_every_time():
    rooms, again, other = (parte.open_synthetic("indoor", seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(again[3], rooms[3])
    np.testing.assert_array_equal(again.poses, rooms.poses)
    assert not np.array_equal(other[3], rooms[3])
    with pytest.raises(ValueError, match="town"):
        parte.open_synthetic("atlantis")


def test_kitti_pairs(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("seq i seq_db j pose\n0 5 0 9 1 0 0 1.5 0 1 0 -2 0 0 1 0 0 0 0 1\n")
    (pair,) = parte.read_kitti_pairs(file, "root")
    assert (pair.source, pair.target, pair.group) == (
        "root/sequences/00/velodyne/000005.bin",
        "root/sequences/00/velodyne/000009.bin",
        "00",
    )
    np.testing.assert_array_equal(pair.T_target_source, [[1, 0, 0, 1.5], [0, 1, 0, -2], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert pair.information is None
    file.write_text("seq i seq_db j pose\n0 5 0\n")
    with pytest.raises(parte.IoError, match="list.txt: line 2"):
        parte.read_kitti_pairs(file, "root")


def test_3dmatch_scene(tmp_path):
    scene = tmp_path / "kitchen-evaluation"
    scene.mkdir()
    matrix = np.eye(4)
    matrix[:3, 3] = 1, 2, 3
    (scene / "gt.log").write_text("0\t1\t2\n" + "\n".join(" ".join(map(str, row)) for row in matrix) + "\n")
    (scene / "gt.info").write_text("0\t1\t2\n" + "\n".join(" ".join(map(str, row)) for row in 7 * np.eye(6)) + "\n")
    (tmp_path / "kitchen").mkdir()
    for i in range(2):
        (tmp_path / "kitchen" / f"cloud_bin_{i}.ply").touch()
    (pair,) = parte.read_3dmatch_scene(tmp_path, "kitchen")
    assert pair.source.endswith("cloud_bin_1.ply") and pair.target.endswith("cloud_bin_0.ply")
    np.testing.assert_array_equal(pair.T_target_source, matrix)
    np.testing.assert_array_equal(pair.information, 7 * np.eye(6))
    for read in (parte.read_3dmatch_scene, parte.read_eth_scene):
        with pytest.raises(parte.IoError):
            read(tmp_path, "no_such_scene")
    with pytest.raises(parte.IoError, match="pairs.txt: "):
        parte.read_3dmatch_pairs(tmp_path / "pairs.txt", tmp_path)
    with pytest.raises(parte.IoError, match="list.txt: "):
        parte.read_resso_pairs(tmp_path / "list.txt")


def test_trajectories(tmp_path):
    file = tmp_path / "poses.txt"
    file.write_text("1 0 0 1 0 1 0 2 0 0 1 3\n")
    poses, times = parte.read_trajectory(file)
    np.testing.assert_array_equal(poses, [[[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]])
    assert times is None
    file.write_text("10.5 1 2 3 0 0 0 1\n11.5 1 2 4 0 0 0 1\n")
    poses, times = parte.read_trajectory(file)
    assert times.tolist() == [10.5, 11.5] and poses[:, 2, 3].tolist() == [3, 4]
