"""The stages one by one make what extract() and align() make."""

import itertools

import numpy as np
import parte
import pytest

V = 0.5


def stages(points):
    """extract() by hand, with the options of a LiDAR."""
    cloud = parte.downsample(points, V)
    cloud, neighbors = parte.normals(cloud, radius=2 * V)
    ground = parte.ground(cloud)
    planes = parte.planes(cloud, neighbors, excluded=ground, thickness=V)
    planes.insert(0, parte.fit_plane(cloud, np.flatnonzero(ground), ground=True))
    free = np.linalg.norm(cloud.normals, axis=1) > 0.5
    for plane in planes:
        free[plane.indices] = False
    centers = np.flatnonzero(free)
    descriptors = parte.fpfh(cloud, centers, radius=5 * V, excluded=ground)
    weak = np.array([len(neighbors[i]) < 5 for i in range(len(neighbors))])  # no normals for verification
    normals = np.where(weak[:, None], np.float32(0), cloud.normals)
    pch = parte.pch(cloud, planes, half_range=20 * V, coplanar_distance=V)
    return cloud, normals, ground, centers, descriptors, pch


def test_stages_make_features(scans, features):
    for scan, expected in zip(scans, features):
        cloud, normals, ground, centers, descriptors, planes = stages(scan)
        for a, b in (
            (cloud.origin, expected.cloud.origin),
            (cloud.points, expected.cloud.points),
            (normals, expected.cloud.normals),
            (ground, expected.ground),
            (centers, expected.point_indices),
            (descriptors, expected.descriptors),
            (planes.context, expected.planes.context),
            (planes.box_context, expected.planes.box_context),
        ):
            np.testing.assert_array_equal(a, b)
        assert planes.groups == expected.planes.groups
        assert [p.ground for p in planes.planes] == [True] + [False] * (len(planes) - 1)


def test_stages_make_an_alignment(features):
    result = parte.align(*features)
    a, b = (scan.at_level(result.level) for scan in features)
    points = parte.match_points(a.descriptors, b.descriptors, a.upright, b.upright)
    p, q = a.cloud.points[a.point_indices[points[:, 0]]], b.cloud.points[b.point_indices[points[:, 1]]]
    matches, confidence = parte.match_planes(a.planes, b.planes)
    u = [a.planes.planes[i] for i in matches[:, 0]]
    w = [b.planes.planes[i] for i in matches[:, 1]]
    graph = parte.compatibility(p, q, u, w, spatial_tolerance=V * 2**result.level)
    assert len(graph) == len(points) + len(matches)
    weights = np.concatenate([np.ones(len(points), int), np.maximum(1, np.ceil(10 * confidence).astype(int))])
    clique = parte.max_weight_clique(graph, weights)

    assert (len(points), len(matches)) == (result.point_candidates, result.plane_candidates)
    assert result.hypotheses == 1  # else the result is that of another clique
    assert (clique.weight, clique.proven_optimal) == (result.clique_weight, result.proven_optimal)
    inliers = clique.vertices[clique.vertices < len(points)]
    planes = clique.vertices[clique.vertices >= len(points)] - len(points)
    assert np.array_equal(a.point_indices[points[inliers, 0]], result.clique_matches[:, 0])
    assert np.array_equal(matches[planes], result.clique_planes)

    estimate = parte.estimate_transform(
        p[inliers], q[inliers], [u[j] for j in planes], [w[j] for j in planes], confidence[planes], noise=V
    )
    assert not estimate.degenerate and estimate.free_directions.shape == (0, 6)
    back, there = np.eye(4), np.eye(4)
    back[:3, 3], there[:3, 3] = -a.cloud.origin, b.cloud.origin
    np.testing.assert_allclose(there @ estimate.T_target_source @ back, result.T_clique, atol=1e-9)
    x, y, z = a.cloud.origin
    shift = np.eye(6)  # the way that the docstring describes
    shift[3:, :3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    information = shift.T @ estimate.information @ shift
    np.testing.assert_allclose(information, result.information, rtol=1e-9, atol=1e-9 * np.abs(information).max())
    assert estimate.point_rms_m == result.point_rms_m
    assert (np.diff(estimate.objective_history) <= 0).all()


def test_the_heaviest_clique_is_the_heaviest():
    random = np.random.default_rng(3)
    for _ in range(20):
        upper = np.triu(random.random((12, 12)) < 0.6, 1)
        adjacency, weights = upper | upper.T, random.integers(1, 9, 12)
        subsets = itertools.chain.from_iterable(itertools.combinations(range(12), k) for k in range(1, 13))
        best = max(
            sum(weights[list(s)]) for s in subsets if all(adjacency[i, j] for i, j in itertools.combinations(s, 2))
        )
        graph = parte.Graph(adjacency)
        assert np.array_equal(graph.adjacency, adjacency)
        clique = parte.max_weight_clique(graph, weights)
        assert clique.weight == best == weights[clique.vertices].sum() and clique.proven_optimal


def test_matching_is_mutual(features):
    a, b = features[0].descriptors[:300], features[1].descriptors[:300]
    distance = np.linalg.norm(a[:, None].astype(float) - b[None].astype(float), axis=2)
    forth, back = distance.argmin(axis=1), distance.argmin(axis=0)
    expected = [(i, j) for i, j in enumerate(forth) if back[j] == i]
    assert np.array_equal(parte.match_points(a.copy(), b.copy()), expected)


def test_estimate_from_planes_alone():
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    shift = np.array([1.0, 2, 3])
    source = [parte.Plane(5 * axis, axis) for axis in np.eye(3)]
    target = [parte.Plane(turn @ p.centroid + shift, turn @ p.normal) for p in source]
    none = np.zeros((0, 3))
    estimate = parte.estimate_transform(none, none, source, target)
    np.testing.assert_allclose(estimate.T_target_source[:3], np.column_stack([turn, shift]), atol=1e-9)
    assert parte.estimate_transform(none, none, source[:1], target[:1]).degenerate


def test_clouds_of_given_points(box):
    cloud = parte.Cloud(box)
    assert np.array_equal(cloud.points, box) and np.array_equal(cloud.origin, [0, 0, 0]) and cloud.normals is None
    far = box.astype(np.float64) + [5e5, 5e6, 100]
    np.testing.assert_allclose(parte.Cloud(far).coordinates, far, rtol=0, atol=1e-6)
    with_normals, neighbors = parte.normals(cloud, radius=2.0)
    assert cloud.normals is None and len(neighbors) == len(box) and 0 in neighbors[0]
    distance = np.linalg.norm(box - box[0], axis=1)
    assert neighbors.counts[0] == min(30, (distance <= 2.0).sum())
    again = parte.Cloud(box, with_normals.normals.copy())
    assert np.array_equal(parte.fpfh(again), parte.fpfh(with_normals))


def test_more_neighbors_than_points(box):
    cloud = parte.Cloud(box)
    all_of_them, as_many = (parte.normals(cloud, radius=5.0, max_neighbors=k) for k in (2**31 - 1, len(box)))
    assert np.array_equal(all_of_them[0].normals, as_many[0].normals)
    assert np.array_equal(all_of_them[1].counts, as_many[1].counts) and as_many[1].counts.max() > 100


def test_numbers_that_are_none_are_refused_by_name(box, tmp_path):
    cloud, neighbors = parte.normals(parte.Cloud(box), radius=2.0)
    graph, three = parte.Graph(np.ones((2, 2), bool)), np.zeros((3, 3))
    still = np.eye(4)[None]
    for call, numbers, wholes, flags in (
        (lambda **k: parte.downsample(box, **k), "voxel", "", ""),
        (lambda **k: parte.normals(cloud, **k), "radius", "max_neighbors min_neighbors", ""),
        (lambda **k: parte.ground(cloud, **k), "cell tolerance max_slope_deg max_bend_deg max_step", "min_points", ""),
        (lambda **k: parte.planes(cloud, neighbors, **k), "thickness normal_dispersion", "min_points", ""),
        (lambda **k: parte.fit_plane(cloud, [0, 1, 2], **k), "", "", "ground"),
        (lambda **k: parte.fpfh(cloud, **k), "radius", "max_neighbors", ""),
        (lambda **k: parte.pch(cloud, [], **k), "half_range coplanar_angle_deg coplanar_distance", "", ""),
        (lambda **k: parte.compatibility(three, three, **k), "spatial_tolerance angular_tolerance_deg", "", ""),
        (lambda **k: parte.max_weight_clique(graph, [1, 1], **k), "time_limit_s", "max_work", ""),
        (
            lambda **k: parte.estimate_transform(three, three, **k),
            "convergence noise angular_noise max_uncertainty",
            "max_iterations",
            "",
        ),
        (lambda **k: parte.metrics.rpe(still, still, **k), "", "frames", ""),
        (lambda **k: parte.open_synthetic(**k), "", "seed", ""),
        (lambda **k: parte.read_eth_scene("root", "scene", **k), "min_overlap", "", ""),
        (lambda **k: parte.kitti.Sequence("root", "00", **k), "elevation_correction_deg", "", ""),
        (lambda **k: parte.draw_alignment(tmp_path / "a.svg", box, box, np.eye(4), **k), "", "", "camera_frame"),
    ):
        for names, expected, wrong in (
            (numbers, "a number", ("1", None, True, [1.0])),
            (wholes, "a whole number", ("1", None, True, 1.5, 2**70)),
            (flags, "True or False", ("1", None, 2)),
        ):
            for name, bad in itertools.product(names.split(), wrong):
                with pytest.raises(ValueError, match=f"^{name} must be {expected}"):
                    call(**{name: bad})


def test_lengths_are_finite(box):
    cloud, neighbors = parte.normals(parte.Cloud(box), radius=2.0)
    three = np.zeros((3, 3))
    for call, names in (
        (lambda **k: parte.downsample(box, **k), "voxel"),
        (lambda **k: parte.normals(cloud, **k), "radius"),
        (lambda **k: parte.ground(cloud, **k), "cell tolerance max_slope_deg max_bend_deg max_step"),
        (lambda **k: parte.planes(cloud, neighbors, **k), "thickness normal_dispersion"),
        (lambda **k: parte.fpfh(cloud, **k), "radius"),
        (lambda **k: parte.pch(cloud, [], **k), "half_range coplanar_angle_deg coplanar_distance"),
        (lambda **k: parte.compatibility(three, three, **k), "spatial_tolerance angular_tolerance_deg"),
        (lambda **k: parte.max_weight_clique(parte.Graph(np.ones((2, 2), bool)), [1, 1], **k), "time_limit_s"),
        (lambda **k: parte.estimate_transform(three, three, **k), "convergence noise angular_noise max_uncertainty"),
    ):
        for name in names.split():
            with pytest.raises(ValueError, match=name):
                call(**{name: np.inf})


def test_what_stages_refuse(box):
    bare = parte.Cloud(box)
    cloud, neighbors = parte.normals(bare, radius=2.0)
    plane = parte.fit_plane(cloud, [0, 1, 2])
    other = parte.Cloud(box[:2])
    three = np.zeros((3, 3))
    nan = box.copy()
    nan[4, 2] = np.inf
    for call, problem in (
        (lambda: parte.downsample(box, 0.0), "^voxel must be positive"),
        (lambda: parte.Cloud(nan), "^points must be finite, and row 4 is not"),
        (lambda: parte.Cloud(box.astype(np.float64) * 1e300), "^points must lie within the range of float32"),
        (lambda: parte.Cloud(box, box), "^normals must have the length 1"),
        (lambda: parte.Cloud(box, box[:3]), "^normals must be as many"),
        (lambda: parte.ground(bare), "^cloud must have normals"),
        (lambda: parte.ground(cloud, max_slope_deg=91), "max_slope_deg"),
        (lambda: parte.normals(bare, radius=0.0), "radius"),
        (lambda: parte.planes(parte.normals(other)[0], neighbors), "^neighbors must be those of the same cloud"),
        (lambda: parte.planes(cloud, neighbors, excluded=[True]), "^excluded must be a bool array"),
        (lambda: parte.planes(cloud, neighbors, thickness=-1), "thickness"),
        (lambda: parte.fit_plane(cloud, [2000]), "^indices must be at least 0 and below 2000"),
        (lambda: parte.fit_plane(cloud, []), "^indices must name"),
        (lambda: parte.fpfh(cloud, [-1]), "^centers must be at least 0"),
        (lambda: parte.fpfh(cloud, [0.5]), "^centers must be whole numbers"),
        (lambda: parte.fpfh(cloud, max_neighbors=1), "max_neighbors"),
        (lambda: parte.pch(cloud, [plane], half_range=0.0), "half_range"),
        (lambda: parte.pch(parte.normals(other)[0], [plane]), "^planes must be those of the same cloud"),
        (lambda: parte.match_points(np.zeros((5, 33)), np.zeros((5, 33))), "^source must be float32"),
        (lambda: parte.match_points(np.zeros((5, 3), np.float32), three), r"^source must have the shape N x 33"),
        (lambda: parte.match_planes(parte.pch(cloud, []), parte.pch(cloud, []), mode="x"), "^mode must be"),
        (lambda: parte.compatibility(three, three[:2]), "^target_points must be as many"),
        (lambda: parte.compatibility(three, three, [plane]), "^target_planes must be as many"),
        (lambda: parte.compatibility(three, three, spatial_tolerance=0), "spatial_tolerance"),
        (lambda: parte.Graph(np.ones((2, 3), bool)), "^adjacency must be square"),
        (lambda: parte.Graph(np.triu(np.ones((3, 3), bool))), "^adjacency must be symmetric"),
        (lambda: parte.Graph(np.ones((3, 3))), "^adjacency must be a numpy array of bool"),
        (lambda: parte.max_weight_clique(parte.Graph(np.ones((3, 3), bool)), [1, 2]), "^weights must have one"),
        (lambda: parte.max_weight_clique(parte.Graph(np.ones((2, 2), bool)), [1, 0]), "^weights must be at least 1"),
        (lambda: parte.estimate_transform(three, three, [plane], [plane], [-1.0]), "^plane_weights"),
        (lambda: parte.estimate_transform(three, three, [plane], [plane], ["x"]), "^plane_weights must be numbers"),
        (lambda: parte.estimate_transform(three, three, [plane], [plane], [1, 2]), "^plane_weights must be as many"),
        (lambda: parte.estimate_transform(three, three, noise=0.0), "noise"),
        (lambda: parte.Plane([0, 0, 0], [0, 0, 2]), "^normal must have the length 1"),
    ):
        with pytest.raises(ValueError, match=problem):
            call()


def test_a_result_says_what_its_confidence_follows_from(features):
    result = parte.align(*features)
    assert 1 <= result.levels <= features[0].options["coarse_levels"] + 1
    assert result.confidence > 0.99
    assert result.evidence["overlap"] == result.overlap.fraction
    assert result.evidence["agreement"] == result.overlap.agreement
    assert result.evidence["members"] >= 3


@pytest.mark.parametrize("level", [-1, 2])
def test_a_scale_that_is_not_there_is_refused(features, level):
    with pytest.raises(ValueError, match=f"level must be 0 to 1, not {level}"):
        features[0].at_level(level)
