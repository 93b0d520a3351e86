from os import PathLike
from pathlib import Path
from typing import Literal, Union

import parte

_Path = Union[str, PathLike[str]]

class Sequence(parte.Sequence):
    def __init__(
        self,
        root: _Path,
        name: str,
        ground_truth: Literal["best", "semantic", "official", "none"] = "best",
        elevation_correction_deg: float = 0.205,
    ) -> None: ...

def find_root(root: _Path | None = None) -> Path: ...
