"""The stubs say what the compiled module is."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import malecon


def test_types_are_those_of_the_module():
    # It imports the module and compares names and signatures.
    command = [sys.executable, "-m", "mypy.stubtest", "malecon._engine"]
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull}
    check = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr


def test_documentation_is_that_of_the_module():
    stub = ast.parse((Path(malecon.__file__).parent / "_engine.pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            assert ast.get_docstring(node) == inspect.getdoc(getattr(malecon._engine, node.name)), node.name
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    compared = 0
    for node in classes:
        compiled = getattr(malecon._engine, node.name)
        assert ast.get_docstring(node) == inspect.getdoc(compiled)
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                assert ast.get_docstring(member) == inspect.getdoc(getattr(compiled, member.name)), member.name
                compared += 1
    assert compared > 30
