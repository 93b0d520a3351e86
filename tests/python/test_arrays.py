"""What goes in and what comes out: layouts that are read without a copy, and those that are refused."""

import gc
import sys

import numpy as np
import parte
import pytest


def same(a, b):
    return (
        np.array_equal(a.cloud.points, b.cloud.points)
        and np.array_equal(a.cloud.normals, b.cloud.normals)
        and np.array_equal(a.descriptors, b.descriptors)
    )


def test_layouts_that_are_read_as_they_are(box):
    expected = parte.extract(box, voxel=1.0)
    four = np.column_stack([box, np.arange(len(box), dtype=np.float32)])
    six = np.column_stack([box, np.full_like(box, np.nan)])
    twice = np.repeat(box, 2, axis=0)
    for points in (box.astype(np.float64), four, four[:, :3], six[:, :3], twice[::2]):
        assert same(parte.extract(points, voxel=1.0), expected)
    frozen = box.copy()
    frozen.flags.writeable = False
    assert same(parte.extract(frozen, voxel=1.0), expected)


@pytest.mark.parametrize(
    "spoil, problem",
    [
        (lambda p: p.tolist(), "must be a numpy array, not list: use numpy.asarray"),
        (lambda p: None, "must be a numpy array, not NoneType"),
        (lambda p: p.astype(np.int32), r"must be float32 or float64 .*not int32: use points.astype"),
        (lambda p: p.astype(np.float16), "not float16"),
        (lambda p: p.astype(object), "not object"),
        (lambda p: p.astype(">f4"), "native byte order"),
        (lambda p: np.asfortranarray(p), "C order.*use numpy.ascontiguousarray"),
        (lambda p: p[::-1], "C order"),
        (lambda p: np.broadcast_to(p[0], p.shape), "C order"),
        (lambda p: np.repeat(p, 2, axis=1)[:, ::2], "C order"),
        (lambda p: p.ravel(), r"shape N x 3 or N x 4, not \(6000,\)"),
        (lambda p: p[:, :2], r"not \(2000, 2\)"),
        (lambda p: np.column_stack([p, p]), r"not \(2000, 6\): use points\[:, :3\]"),
        (lambda p: p[None], r"not \(1, 2000, 3\)"),
        (lambda p: np.ma.masked_greater(p, 5), r"must not be a masked array: use points.filled\(numpy.nan\)"),
        (lambda p: np.frombuffer(b"x" + p.tobytes(), np.uint8)[1:].view(np.float32).reshape(-1, 3), "C order"),
    ],
)
def test_layouts_that_are_refused(box, spoil, problem):
    points = spoil(box)
    for call in (parte.extract, lambda p: parte.downsample(p, 1.0), parte.Cloud):
        with pytest.raises(ValueError, match="points .*" + problem):
            call(points)
    with pytest.raises(ValueError, match="source .*" + problem.replace("points", "source")):
        parte.register(points, box)
    with pytest.raises(ValueError, match="target .*" + problem.replace("points", "target")):
        parte.register(box, points)


@pytest.mark.parametrize("row", [np.zeros(3)[None], np.zeros((1, 3), order="F"), np.zeros((5, 3))[::-9]])
def test_one_row_has_no_distance_to_the_next(row):
    assert row.shape == (1, 3)
    assert np.array_equal(parte.Cloud(row).coordinates, row)
    assert len(parte.downsample(row + 1, 1.0)) == 1


def test_masks_are_not_ignored(box):
    cloud = parte.normals(parte.Cloud(box), radius=2.0)[0]
    masked = np.ma.masked_equal
    for call, problem in (
        (lambda: parte.extract(box, viewpoint=masked([1.0, 2, 3], 3)), "^viewpoint must not be a masked array"),
        (lambda: parte.fpfh(cloud, masked([1, 2], 2)), r"^centers must not be .*centers.compressed\(\)"),
        (lambda: parte.Graph(masked(np.ones((2, 2), bool), False)), r"^adjacency must .*filled\(False\)"),
        (lambda: parte.match_points(masked(np.zeros((2, 33), np.float32), 1), None), "^source must not be a masked"),
    ):
        with pytest.raises(ValueError, match=problem):
            call()


def test_features_of_unusable_scans(box):
    for options in ({"max_points": 10}, {"voxel": 1000.0}):
        features = parte.extract(box, viewpoint=[1, 2, 3], **options)
        assert features.status != "success"
        np.testing.assert_allclose(features.viewpoint, [1, 2, 3], atol=1e-9)
        assert features.ground.shape == (len(features),) and not features.ground.any()
        assert features.cloud.normals is None


def test_empty_and_useless_clouds_are_no_error(box):
    empty = parte.extract(np.zeros((0, 3), dtype=np.float32))
    assert empty.status == "too few points" and len(empty) == 0 and empty.descriptors.shape == (0, 33)
    nothing = parte.extract(np.full((50, 3), np.nan))
    assert nothing.status == "too few points" and nothing.dropped == 50
    result = parte.align(empty, parte.extract(box))
    assert not result.success and result.status == "too few points"
    assert parte.extract(box, max_points=10).status == "too many points"


@pytest.mark.parametrize("bad", [(1, 2), "abc", (1, 2, np.nan), np.zeros((3, 1)), 5])
def test_viewpoint(box, bad):
    with pytest.raises(ValueError, match="^viewpoint must be three"):
        parte.extract(box, viewpoint=bad)
    with pytest.raises(ValueError, match="^target_viewpoint must be three"):
        parte.register(box, box, target_viewpoint=bad)


def test_viewpoint_turns_normals(box):
    inside, outside = parte.extract(box, voxel=2.0), parte.extract(box, voxel=2.0, viewpoint=[0, 0, 1000.0])
    assert np.array_equal(outside.viewpoint, [0, 0, 1000])
    top = (inside.cloud.coordinates[:, 2] > 9.9) & (np.abs(inside.cloud.normals[:, 2]) > 0.9)
    assert top.sum() > 10
    assert (inside.cloud.normals[top, 2] < 0).all() and (outside.cloud.normals[top, 2] > 0).all()


def test_features_keep_nothing_of_the_array(box):
    points = box.copy()
    references = sys.getrefcount(points)
    features = parte.extract(points, voxel=1.0)
    assert sys.getrefcount(points) == references
    before = features.cloud.points.copy()
    points[:] = 0
    assert np.array_equal(features.cloud.points, before)


def test_arrays_outlive_their_owner(box):
    features = parte.extract(box, voxel=1.0)
    points, descriptors, context = features.cloud.points, features.descriptors, features.planes.context
    copies = points.copy(), descriptors.copy(), context.copy()
    del features
    gc.collect()
    parte.extract(box[::-1].copy(), voxel=1.0)  # would reuse the memory
    for array, copy in zip((points, descriptors, context), copies):
        assert np.array_equal(array, copy)
        assert not array.flags.writeable


def test_correspondences(scans, features):
    source, target, truth = scans
    chosen = source[::500].astype(np.float64)
    moved = chosen @ truth[:3, :3].T + truth[:3, 3]
    wrong = len(chosen) // 2
    moved[:wrong] += np.random.default_rng(2).uniform(-40, 40, (wrong, 3))
    result = parte.align(*features, correspondences=(chosen, moved))
    assert result.success
    assert np.array_equal(result.clique_matches[:, 0], result.clique_matches[:, 1])
    assert (result.clique_matches[:, 0] >= wrong).mean() > 0.95
    np.testing.assert_allclose(result.clique_points[:, 0], chosen[result.clique_matches[:, 0]], atol=1e-9)
    for bad, problem in (
        (chosen, "must be two arrays"),
        ((chosen, moved[:-1]), "as many points"),
        ((chosen, moved.tolist()), r"correspondences\[1\] must be a numpy array"),
        ((np.full_like(chosen, np.nan), moved), r"correspondences\[0\] must be finite, and row 0 is not"),
    ):
        with pytest.raises(ValueError, match=problem):
            parte.align(*features, correspondences=bad)


def test_clique_matches_are_indices_into_the_clouds(features):
    result = parte.align(*features)
    matched = [scan.at_level(result.level) for scan in features]
    for side, scan in enumerate(matched):
        assert np.array_equal(scan.cloud.coordinates[result.clique_matches[:, side]], result.clique_points[:, side])
    assert len(result.clique_planes) == len(result.clique_confidences)
    assert result.clique_planes[:, 0].max() < len(matched[0].planes)


def test_repr_says_what_matters(features):
    assert "descriptors" in repr(features[0]) and str(len(features[0])) in repr(features[0])
    result = parte.align(*features)
    assert repr(result).startswith("<parte.Result success: ")
    assert f"clique {len(result.clique_points)} points + {len(result.clique_planes)} planes" in repr(result)
    assert repr(result).endswith(f"; align {result.timings['total_ms']:.0f} ms>")
