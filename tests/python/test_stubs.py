"""The stubs say what the module has."""

import ast
import inspect
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import parte
import pytest

MODULES = {"__init__": parte, "kitti": parte.kitti, "metrics": parte.metrics}
STUBS = Path(parte.__file__).resolve().parent


def stub_of(name):
    """Public names of a stub: functions and classes with their nodes."""
    body = ast.parse((STUBS / f"{name}.pyi").read_text()).body
    return {n.name: n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")}


def members(cls):
    return {n for n, v in vars(cls).items() if isinstance(v, property) or (not n.startswith("_") and callable(v))}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_in_both(name):
    module = MODULES[name]
    public = {n for n in dir(module) if not n.startswith("_") and not inspect.ismodule(getattr(module, n))}
    assert public == set(stub_of(name))


@pytest.mark.parametrize("name", MODULES)
def test_every_member_is_in_both(name):
    for node in stub_of(name).values():
        if isinstance(node, ast.ClassDef):
            methods = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            cls = getattr(MODULES[name], node.name)
            assert {m for m in methods if not m.startswith("_")} == members(cls), node.name
            assert all(hasattr(cls, m) for m in methods), node.name


def test_arguments_and_defaults_are_the_same():
    for name, module in MODULES.items():
        for node in stub_of(name).values():
            if isinstance(node, ast.FunctionDef) and not inspect.isfunction(getattr(module, node.name)):
                arguments = [a.arg for a in node.args.args]
                defaults = [ast.unparse(d) for d in node.args.defaults]
                signature = getattr(module, node.name).__doc__.splitlines()[0].rsplit(" -> ", 1)[0]
                ours = re.findall(r"(\w+): ", signature)
                assert arguments == ours, node.name
                for argument, default in zip(arguments[len(arguments) - len(defaults) :], defaults):
                    value = re.search(rf"\b{argument}: [^=]* = (\([^)]*\)|[^,)]*)", signature).group(1)
                    expected = ast.literal_eval(default)
                    assert ast.literal_eval(value) == expected, (node.name, argument)


def typed_dict(name):
    tree = ast.parse((STUBS / "__init__.pyi").read_text())
    node = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    return {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}


def test_options_of_the_stubs_are_those_of_the_module():
    options = parte.default_options()
    assert typed_dict("_Options") | typed_dict("_AlignOptions") | {"voxel", "sensor"} == set(options)
    for name in ("ground", "clique", "verification"):
        assert typed_dict(f"_{name.capitalize()}Options") == set(options[name])


def test_everything_has_a_docstring():
    for module in MODULES.values():
        assert module.__doc__
        for name in stub_of(next(k for k, v in MODULES.items() if v is module)):
            thing = getattr(module, name)
            assert thing.__doc__ and len(thing.__doc__.strip().splitlines()[-1]) > 10, name
            if inspect.isclass(thing):
                for member in members(thing):
                    assert getattr(thing, member).__doc__, f"{name}.{member}"


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_stubtest(tmp_path):
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nenable_incomplete_feature = Unpack\n[mypy-gtsam.*]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", config, "--concise", "parte"]
    environment = os.environ | {"MYPYPATH": str(STUBS.parent), "PYTHONPATH": str(STUBS.parent)}
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    # What pybind11 makes of classes that cannot be constructed has no place in a stub; newer mypy needs no feature.
    known = re.compile(r"metaclass differs|\.__init__ is inconsistent, stub does not have \*args|enabled by default")
    assert process.returncode in (0, 1), process.stderr
    assert not [line for line in process.stdout.splitlines() if not known.search(line)]
