"""Options have the names and the defaults of C++, and wrong ones are refused by name."""

import ast
import re
from pathlib import Path

import numpy as np
import parte
import pytest

ROOT = Path(__file__).resolve().parents[2]
WRONG = {
    float: [float("nan"), float("inf"), -1.0, "1", None, True, {}],
    int: [-1, 2**64, 1.5, "1", None, True, {}],
    bool: [2, "yes", None, {}],
    str: ["x", "\ud800", 1, None, {}],
}
TOO_MUCH = {
    "threads": [1025, 100_000],
    "plane_weight": [3e9, 1e300],
    "ground.cell": [1e-9, 5e-324],
    "verification.radius": [1e300],
}


def cpp_defaults(struct, header):
    """The fields of a C++ structure with their default values, as its header has them."""
    body = re.search(rf"^struct {struct} {{\n(.*?)^}};", (ROOT / "parte" / header).read_text(), re.M | re.S).group(1)
    fields = re.findall(r"^  (?:double|int|bool|std::\w+|Sensor|Plane\w+) (\w+) = ([^;]+);", body, re.M)
    return {name: cpp_value(text) for name, text in fields}


def cpp_value(text):
    if text in ("true", "false"):
        return text == "true"
    return text.split("::")[1] if "::" in text else ast.literal_eval(text.replace("'", "_"))


def all_cpp_options():
    options = cpp_defaults("Options", "options.hpp")
    for name in ("ground", "clique", "verification"):
        options[name] = cpp_defaults(f"{name.capitalize()}Options", f"{name}.hpp")
    return options


def test_defaults_are_those_of_cpp():
    expected = all_cpp_options()
    assert len(expected) > 20 and len(expected["verification"]) > 5
    assert parte.default_options() == expected
    assert parte.default_options("rgbd") == expected | {"sensor": "rgbd", "voxel": 0.05}


@pytest.mark.parametrize(
    "function, struct, header",
    [
        ("normals", "NormalOptions", "normals.hpp"),
        ("ground", "GroundOptions", "ground.hpp"),
        ("planes", "PlaneOptions", "planes.hpp"),
        ("fpfh", "FpfhOptions", "fpfh.hpp"),
        ("pch", "PlaneFeatureOptions", "matching.hpp"),
        ("compatibility", "CompatibilityOptions", "compatibility.hpp"),
        ("max_weight_clique", "CliqueOptions", "clique.hpp"),
        ("estimate_transform", "TransformOptions", "transform.hpp"),
    ],
)
def test_defaults_of_stages_are_those_of_cpp(function, struct, header):
    signature = getattr(parte, function).__doc__.splitlines()[0]
    ours = {name: ast.literal_eval(value) for name, value in re.findall(r"(\w+): \w+ = ([-\w.]+)", signature)}
    expected = cpp_defaults(struct, header)
    assert expected
    assert {name: ours.get(name) for name in expected} == expected


def test_options_go_round(box):
    options = parte.default_options()
    options.update(voxel=0.8, plane_min_points=20, threads=1, verification={"refine": False})
    features = parte.extract(box, **options)
    assert features.options == parte.default_options() | {
        "voxel": 0.8,
        "plane_min_points": 20,
        "threads": 1,
        "verification": parte.default_options()["verification"] | {"refine": False},
    }
    assert parte.extract(box, **features.options).options == features.options


def test_numbers_of_numpy_are_numbers(box):
    features = parte.extract(box, voxel=np.float32(0.5), plane_min_points=np.int64(50), use_ground=np.bool_(False))
    assert features.options["voxel"] == 0.5
    assert features.options["plane_min_points"] == 50 and features.options["use_ground"] is False


def flat(options):
    for name, value in options.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", default) for inner, default in value.items())
        else:
            yield name, value


@pytest.mark.parametrize("name, default", flat(parte.default_options()))
def test_wrong_values_are_refused_by_name(box, name, default):
    *outer, field = name.split(".")
    for bad in WRONG[type(default)] + TOO_MUCH.get(name, []):
        if bad is None and name == "voxel":
            continue  # the sensor's default
        with pytest.raises(ValueError, match=rf"\b{field}\b") as refused:
            parte.extract(box, **({outer[0]: {field: bad}} if outer else {field: bad}))
        assert "there is no option" not in str(refused.value)  # which lists them all


def test_unknown_options_are_refused(box, features):
    with pytest.raises(ValueError, match="there is no option vexel; there are voxel, .*verification.min_confidence"):
        parte.extract(box, vexel=1)
    with pytest.raises(ValueError, match="there is no option verification.x;"):
        parte.extract(box, verification={"x": 1})
    with pytest.raises(ValueError, match="clique must be a dict with some of max_work, time_limit_s"):
        parte.extract(box, clique=3)
    with pytest.raises(ValueError, match="there is no option foo;"):
        parte.align(*features, foo=1)
    with pytest.raises(ValueError, match="there is no option verificaton;"):
        parte.extract(box, verificaton={})
    with pytest.raises(ValueError, match="voxel decides on the features"):
        parte.align(*features, voxel={})
    with pytest.raises(ValueError, match=r"there is no option '\\ud800';"):
        parte.extract(box, **{"\ud800": 1})
    with pytest.raises(ValueError, match=r"there is no option clique.3;"):
        parte.extract(box, clique={3: 1})
    assert parte.extract(box, verification={}).options == parte.default_options()


def test_align_takes_the_options_of_the_features(scans):
    # At one scale: without refinement there is no other.
    features = [parte.extract(scan, voxel=0.5, coarse_levels=0) for scan in scans[:2]]
    rough = parte.align(*features, verification={"refine": False})
    assert np.array_equal(rough.T_target_source, rough.T_clique)
    refined = parte.align(*features)
    assert not np.array_equal(refined.T_target_source, refined.T_clique)
    assert np.array_equal(refined.T_clique, rough.T_clique)
    assert rough.options["verification"]["refine"] is False and rough.options["voxel"] == 0.5

    pair = [parte.extract(scan, voxel=0.5, verification={"refine": False}, threads=1) for scan in scans[:2]]
    assert np.array_equal(parte.align(*pair).T_target_source, rough.T_target_source)


def test_align_refuses_what_does_not_fit(box, features):
    with pytest.raises(ValueError, match="voxel decides on the features: give it to extract"):
        parte.align(*features, voxel=0.5)
    with pytest.raises(ValueError, match=r"verification.radius decides on the features"):
        parte.align(*features, verification={"radius": 1.0})
    with pytest.raises(ValueError, match="voxel is 0.5 for the source and 0.3 for the target: extract both"):
        parte.align(features[0], parte.extract(box))
    with pytest.raises(ValueError, match="plane_weights is 'confidence' for the source and 'none' for the target"):
        parte.align(features[0], parte.extract(box, voxel=0.5, plane_weights="none"))


def test_choose_voxel(scans):
    assert parte.choose_voxel(scans[0], scans[1]) == 0.3
    assert parte.choose_voxel(scans[0] / 10, scans[1] / 10) == 0.03
    with pytest.raises(ValueError, match="^sensor must be 'lidar' or 'rgbd', not 'sonar'"):
        parte.choose_voxel(scans[0], scans[1], sensor="sonar")
