"""Results for graphs of GTSAM, through its own Python package: numbers are handed over, and no binary interface."""


def gtsam_factor(key_target, key_source, result):
    """A gtsam.BetweenFactorPose3 between the poses of two scans: measured = pose(target)^-1 pose(source).

    key_target, key_source: keys of the poses of the scans, such as gtsam.symbol("x", 3).
    result: of align(source, target) for these scans; its covariance becomes the noise model.
    Raises ValueError unless the result is a success, ImportError where gtsam is not installed.
    """
    if not result.success:
        raise ValueError(f'result must be a success; this one is "{result.status}"')
    try:
        import gtsam
    except ImportError as error:
        raise ImportError(
            "gtsam_factor needs the Python package gtsam: python3-gtsam of Debian 13, or pip install gtsam"
        ) from error
    noise = gtsam.noiseModel.Gaussian.Covariance(result.covariance)
    return gtsam.BetweenFactorPose3(key_target, key_source, gtsam.Pose3(result.T_target_source), noise)
