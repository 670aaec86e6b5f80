"""The notebook of the examples runs, and holds the outputs of a run."""
import json

import pytest

from conftest import EXAMPLES


@pytest.fixture(scope="module")
def cells():
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return notebook["cells"]


def test_outputs_are_stored(cells):
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in code:
        assert cell["outputs"], cell["source"]
        assert all(output["output_type"] in ("stream", "execute_result") for output in cell["outputs"])
    kinds = {kind for cell in code for output in cell["outputs"] for kind in output.get("data", {})}
    assert {"text/plain", "text/html", "image/svg+xml"} <= kinds


def test_format(cells):
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.read(str(EXAMPLES / "notebook.ipynb"), as_version=4))


@pytest.mark.filterwarnings("ignore")
def test_code_runs(cells, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    scope = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
    assert scope["informed"].parents("Mek")[0] == "Raf"
