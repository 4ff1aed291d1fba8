"""The examples of the documents run as they stand, and have the types that the stubs promise."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "docs/python.md", "docs/cluster.md", "python/README.md"]


# Large packages whose examples run only where they are installed.
LARGE = ["kaggle_environments", "torch"]
# The examples of these need the machines of others. `.ci/nightly cluster` starts some on this one.
REMOTE = ["dask_jobqueue"]


def is_runnable(block):
    imported = re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE)
    is_here = all(importlib.util.find_spec(name) for name in imported if name in LARGE)
    return is_here and not set(imported) & set(REMOTE)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = [block.split("```")[0] for block in (ROOT / document).read_text().split("```python\n")[1:]]
    assert blocks
    names = {}
    for block in filter(is_runnable, blocks):
        exec(compile(block, document, "exec"), names)
    assert {"session", "position", "positions"} & names.keys()


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """A folder with the examples of the documents, each document as a module."""
    folder = tmp_path_factory.mktemp("examples")
    for document in DOCUMENTS:
        text = "".join(block.split("```")[0] for block in (ROOT / document).read_text().split("```python\n")[1:])
        (folder / f"{document.replace('/', '_').lower().removesuffix('.md')}.py").write_text(text)
    return folder


MYPY = ["mypy", "--strict"]
PYRIGHT = ["basedpyright", "--level", "error", "--pythonpath", sys.executable]


@pytest.mark.parametrize("checker", [MYPY, PYRIGHT])
def test_examples_have_the_types_of_the_stubs(checker, examples):
    # OpenSpiel and PettingZoo have no types of their own, and large packages need not be there.
    untyped = ["pyspiel", "open_spiel", *LARGE]
    ignored = "".join(f"[mypy-{name}.*]\nignore_missing_imports = True\n" for name in untyped)
    (examples / "mypy.ini").write_text(f"[mypy]\nuntyped_calls_exclude = dask_jobqueue, distributed\n{ignored}")
    (examples / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard", "reportMissingImports": "none"}')
    check = subprocess.run(
        [sys.executable, "-m", *checker, "."],
        env={**os.environ, "MYPY_CACHE_DIR": os.devnull},
        cwd=examples,
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stdout + check.stderr
