"""The example is run as a user would."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "python" / "examples" / "register_two_scans.py"


def run(*arguments):
    return subprocess.run([sys.executable, EXAMPLE, *map(str, arguments)], capture_output=True, text=True)


def test_example_without_scans(tmp_path):
    picture = tmp_path / "alignment.png"
    process = run("--picture", picture)
    assert process.returncode == 0, process.stderr
    assert "<parte.Result success: " in process.stdout
    error = float(process.stdout.split("against the truth: ")[1].split(" m")[0])
    assert error < 0.1
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n") and picture.stat().st_size > 20_000


@pytest.fixture
def files(tmp_path, scans):
    for name, points in zip(("source.bin", "target.bin"), scans):
        np.column_stack([points, np.zeros(len(points))]).astype(np.float32).tofile(tmp_path / name)
    return tmp_path / "source.bin", tmp_path / "target.bin"


def test_example_with_files(tmp_path, files):
    process = run(*files, "--picture", tmp_path / "out.svg")
    assert process.returncode == 0, process.stderr
    assert "<svg" in (tmp_path / "out.svg").read_text()[:500]


def test_example_refuses_one_scan():
    process = run("a.bin")
    assert process.returncode == 2 and "give both scans, or none" in process.stderr


@pytest.mark.parametrize("file", ["README.md", "python/README.md"])
def test_code_of_the_documentation(file, files, monkeypatch, capsys):
    monkeypatch.chdir(files[0].parent)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / file).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, file, "exec"), names)
    assert "<parte.Result success: " in capsys.readouterr().out
