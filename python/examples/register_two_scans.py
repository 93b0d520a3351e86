#!/usr/bin/env python3
"""Registers two scans and draws them before and after.

    register_two_scans.py [SOURCE TARGET] [--picture FILE]

Without scans: two of a synthetic town, from places that the car came back to.
"""

import argparse

import numpy as np
import parte

# %% The scans: arrays of N x 3 points, in metres.


def synthetic_scans():
    """Two scans of one place, the second some hundred frames later, with the true transform between them."""
    town = parte.open_synthetic("town")
    later = np.arange(200, len(town))
    gap = np.linalg.norm(town.poses[later, :3, 3] - town.poses[0, :3, 3], axis=1)
    back = later[np.argmin(np.abs(gap - 5.0))]
    return town[0], town[back], np.linalg.inv(town.poses[back]) @ town.poses[0]


def load(arguments):
    if arguments.source is None:
        return synthetic_scans()
    return parte.read_scan(arguments.source), parte.read_scan(arguments.target), None


# %% The registration: features of each scan once, then an alignment without an initial guess.


def register(source, target):
    voxel = parte.choose_voxel(source, target)
    a, b = parte.extract(source, voxel=voxel), parte.extract(target, voxel=voxel)
    print(f"voxel {voxel} m", a, b, sep="\n")
    return parte.align(a, b)


# %% What came of it.


def report(result, truth):
    print(result)
    if not result.success:
        return
    print(np.array_str(result.T_target_source, precision=4, suppress_small=True))
    deviation = np.sqrt(np.diag(result.covariance))
    print(f"standard deviations {np.degrees(deviation[:3]).round(3)} deg, {deviation[3:].round(4)} m")
    if truth is not None:
        error = np.linalg.inv(truth) @ result.T_target_source
        print(f"against the truth: {np.linalg.norm(error[:3, 3]):.3f} m")


def main():
    parser = argparse.ArgumentParser(description="Registers two scans and draws them before and after.")
    parser.add_argument("source", nargs="?", help="the scan to move (.bin of KITTI, .ply, .pcd, .xyz, .txt, .csv)")
    parser.add_argument("target", nargs="?", help="the scan to move it onto")
    parser.add_argument("--picture", default="alignment.png", help="a .png or .svg file (default: %(default)s)")
    arguments = parser.parse_args()
    if (arguments.source is None) != (arguments.target is None):
        parser.error("give both scans, or none")
    source, target, truth = load(arguments)
    result = register(source, target)
    report(result, truth)
    title = "after" if result.success else result.status
    parte.draw_alignment(arguments.picture, source, target, result.T_target_source, title=title)
    print(f"written: {arguments.picture}")
    return 0 if result.success else 3


if __name__ == "__main__":
    raise SystemExit(main())
