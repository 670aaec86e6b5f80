"""causcale/_native.pyi describes the native module as it is."""
import ast
import inspect
import pathlib

import causcale
from causcale import _native

STUB = pathlib.Path(causcale.__file__).with_name("_native.pyi")


def described():
    names = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = {argument.arg for argument in node.args.args}
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = set()
    return names


def test_names():
    there = {name for name in vars(_native) if not name.startswith("_")}
    assert {name for name in described() if not name.startswith("_")} == there


def test_members():
    for name, members in described().items():
        kind = getattr(_native, name, None)
        if inspect.isclass(kind) and not issubclass(kind, Exception):
            there = {member for member in vars(kind) if not member.startswith("_") or member == "__len__"}
            assert members == there, name


def test_arguments():
    for name, arguments in described().items():
        function = getattr(_native, name, None)
        if inspect.isbuiltin(function):
            first = function.__doc__.splitlines()[0]  # pybind11 writes the signature there
            for argument in arguments:
                assert f"{argument}: " in first, (name, argument, first)


def test_every_public_thing_has_a_docstring():
    for name in causcale.__all__:
        thing = getattr(causcale, name)
        if inspect.isfunction(thing) or (inspect.isclass(thing) and not issubclass(thing, Exception)):
            assert inspect.getdoc(thing), name
