"""Writes examples/notebook.ipynb: runs the cells below and stores what they showed. Needs no Jupyter.

    PYTHONPATH=build/release/python python3 tools/make_notebook.py
"""
import ast
import contextlib
import io
import json
import pathlib
import warnings

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"

CELLS = [
    """# Protein signalling from single cells

5846 human T cells, 11 proteins and lipids measured in each by flow cytometry; in most cells one of five molecules was
inhibited or activated (Sachs et al., Science 2005; see `sachs/README.md`). Which molecule acts on which?

Run in the folder `examples/`, with the package importable: `PYTHONPATH=../build/release/python`.""",
    """import pandas as pd
import causcale

frame = pd.read_csv("sachs/data.csv")
targets = [line or None for line in open("sachs/interventions.csv").read().split("\\n")[: len(frame)]]
pd.Series(targets).value_counts(dropna=False)""",
    """## What is doubtful about the table?
Warnings would come by themselves; `audit` lists everything.""",
    """for finding in causcale.audit(frame, interventions=targets):
    print(finding["severity"], "-", finding["message"])""",
    """## The graph
The network sees 1000 cells drawn evenly from all conditions, in four views (`max_samples=0, ensemble=0` would use more).""",
    """result = causcale.discover(frame, interventions=targets, dag=True, max_samples=1000, ensemble=1)
result""",
    """result.picture()""",
    """As data: a frame of edges, a numpy matrix (row -> column), a networkx graph.""",
    """print(result.probabilities.shape, result.graph())
result.edges.head()""",
    """## How stable is it?
The same on resampled cells: `selection_frequency` is the share of repetitions that have the edge.""",
    """repeated = causcale.discover(frame.iloc[::10], interventions=targets[::10], bootstrap=10, ensemble=1, warn=False)
repeated.edges.round(3).head(8)""",
    """## What we know already
Raf activates Mek; nothing measured here acts on PKC except PIP2 and Plcg.""",
    """others = [name for name in result.names if name not in ("PKC", "PIP2", "Plcg")]
informed = causcale.discover(
    frame, interventions=targets, dag=True, max_samples=1000, ensemble=1, warn=False,
    required=[("Raf", "Mek")], forbidden=[(name, "PKC") for name in others],
)
print("causes of PKC:", informed.parents("PKC"))
print("causes of Mek:", informed.parents("Mek"))""",
    """## How strong, and which sign?
Every edge has the direct effect along it, given the other causes of its target, with a 90 % interval; `shift` is what
was measured where the cause was acted on. In these cells PKA inhibits: of its arrows those with an interval on one side
of 0 should be negative.""",
    """effects = pd.DataFrame(result.effects).set_index(["source", "target"])
effects[["size", "low", "high", "nonlinear_p", "shift", "shift_low", "shift_high"]].round(2).sort_values("size")""",
    """What happens to Jnk if PKC is changed, along all paths? `samples` adds the doubt about the graph, `bootstrap` that about
the rows. Effects that have to be zero if the graph is right are tested beside it.""",
    """print(result.effect("PKC", "Jnk", samples=300, bootstrap=200))""",
    """## Whole graphs
A probability per edge does not say how probable it is that one molecule acts on another through others. Graphs drawn as
wholes do.""",
    """samples = result.samples(1000)
print(samples)
print("edges by which the graph is off, if its probabilities are right:", round(samples.expected_distance(result), 1))
print("PKC is a cause of Jnk:", samples.cause_probability("PKC", "Jnk"))
samples.paths("PKC", "Jnk", most=5)""",
    """## Does the graph fit, and what to do next?
The independences that the graph claims, tested beside those of graphs that know nothing of the data:""",
    """print(result.check(permutations=50, random_graphs=50))""",
    """Which single intervention would settle most of what is in doubt, and what would further cells without any tell?""",
    """result.next()[["variable", "information", "share", "moved"]].round(2).head(5)""",
    """information, doubt, _ = samples.observation()
print(f"cells without intervention would settle {information:.1f} of {doubt:.1f} bits")
result.next_rows().round(2).head(5)""",
    """## Compared with the literature, and with other methods
17 edges are usually taken as the truth. No method here comes close to it:
the real network has feedback and unmeasured partners. Agreement between methods of different kinds is the better guide.""",
    """comparison = causcale.compare(
    frame.iloc[::5], targets[::5], methods=["causcale", "gies", "pc", "corr"], truth="sachs/truth.csv", warn=False
)
comparison.table[["edges", "average_precision", "auc", "shd", "f1"]].round(3)""",
    """comparison.edges.head(8)""",
    """## Onwards
`result.save("report.html")` writes the interactive report; `.graphml` is for Cytoscape, `.gml` and `.dot` for DoWhy, `.txt` for
Tetrad and causal-learn, `.json` holds everything needed to repeat the run. More in `docs/guide.md`.""",
]


def is_code(cell):
    """Prose begins with a heading or a capital letter and is no Python."""
    try:
        ast.parse(cell)
        return True
    except SyntaxError:
        return False


def bundle_of(value):
    """What a notebook would store for the value of a cell's last line."""
    bundle = {"text/plain": repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        bundle.update(value._repr_mimebundle_())
    elif hasattr(value, "_repr_html_"):
        page = value._repr_html_()
        if page:
            bundle["text/html"] = page
    bundle.pop("image/png", None)  # the same as the SVG in twenty times the space, and the notebook lies in the repository
    return {kind: text.splitlines(True) for kind, text in bundle.items()}


def run(code, number, scope):
    """The cell's outputs in nbformat 4."""
    module = ast.parse(code)
    last = ast.Expression(module.body.pop().value) if isinstance(module.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        exec(compile(module, f"<cell {number}>", "exec"), scope)
        if last is not None:
            value = eval(compile(last, f"<cell {number}>", "eval"), scope)
    outputs = []
    shown = [
        f"{warning.category.__name__}: {warning.message}\n"
        for warning in caught
        if issubclass(warning.category, UserWarning)
    ]
    if shown:
        outputs.append({"output_type": "stream", "name": "stderr", "text": shown})
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(True)}
        )
    if value is not None:
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": number,
                "metadata": {},
                "data": bundle_of(value),
            }
        )
    return outputs


def main():
    scope = {}
    cells = []
    number = 0
    with contextlib.chdir(EXAMPLES):
        for index, source in enumerate(CELLS):
            cell = {"id": f"cell-{index}", "metadata": {}, "source": source.splitlines(True)}
            if is_code(source):
                number += 1
                cell.update(cell_type="code", execution_count=number, outputs=run(source, number, scope))
            else:
                cell["cell_type"] = "markdown"
            cells.append(cell)
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "cells": cells,
    }
    path = EXAMPLES / "notebook.ipynb"
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {number} code cells run")


if __name__ == "__main__":
    main()
