"""Pictures of alignments."""

import numpy as np
import parte


def test_pictures_of_far_scans(tmp_path, box):
    near = np.round(box.astype(np.float64) * 1024) / 1024
    shift = np.array([2.0**19, 2.0**22, 2.0**10])  # exact in double precision, beyond single
    step = np.eye(4)
    step[:3, 3] = 1, 2, 0.5
    for name, offset in (("near", 0), ("far", shift)):
        parte.draw_alignment(tmp_path / f"{name}.svg", near + offset, near + offset + 3, step)
    assert (tmp_path / "far.svg").read_text() == (tmp_path / "near.svg").read_text()
