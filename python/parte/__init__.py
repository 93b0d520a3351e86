"""Global registration of point clouds with points and planes (PARTE), without an initial guess.

>>> import parte
>>> result = parte.register(source, target, voxel=0.3)  # numpy arrays, N x 3 or N x 4, in metres
>>> if result.success:
...     moved = source[:, :3] @ result.T_target_source[:3, :3].T + result.T_target_source[:3, 3]

Scans that are used more than once: extract() each, then align() any two. Every stage is a function of its own, from
downsample() to estimate_transform(); their lengths are metres. kitti and metrics read KITTI and judge trajectories.
T_target_source maps coordinates of the source into the frame of the target.
"""

from ._parte import (
    Clique,
    Cloud,
    Features,
    Graph,
    IoError,
    Neighborhoods,
    Overlap,
    Pair,
    Plane,
    PlaneFeatures,
    Result,
    Sequence,
    TransformEstimate,
    __version__,
    align,
    choose_voxel,
    compatibility,
    default_options,
    downsample,
    draw_alignment,
    estimate_transform,
    extract,
    fit_plane,
    fpfh,
    ground,
    kitti,
    match_planes,
    match_points,
    max_weight_clique,
    metrics,
    normals,
    open_folder,
    open_synthetic,
    pch,
    planes,
    read_3dmatch_pairs,
    read_3dmatch_scene,
    read_eth_scene,
    read_kitti_pairs,
    read_resso_pairs,
    read_scan,
    read_trajectory,
    register,
)
from ._gtsam import gtsam_factor
