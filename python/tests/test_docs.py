"""The examples of the documents run as they stand."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("document", ["README.md", "docs/python.md", "python/README.md"])
def test_examples_run(document):
    blocks = (ROOT / document).read_text().split("```python\n")[1:]
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block.split("```")[0], document, "exec"), names)
    assert "session" in names or "position" in names
