"""CauScale: from a table of observations to a causal graph with a probability for every edge.

    import causcale
    result = causcale.discover(frame, interventions=targets, dag=True)
    result.edges            # pandas.DataFrame: source, target, probability, probability_reverse
    result.probabilities    # numpy [n, n], row -> column
    result.graph()          # networkx.DiGraph

Edges always lead from the source (the cause, a row of a matrix) to the target (the effect, a column).

The package runs on CauScale's own C++ library and needs nothing of PyTorch; both can live in one process.
"""
from . import _native
from ._native import Error, InputError, UsageError
from .checking import GraphCheck, Violation
from .comparison import Comparison, MethodResult, compare, methods, run_method
from .dataset import Dataset, DataWarning
from .discovery import discover
from .effects import DoubtfulEffect, EdgeEffect, EffectEstimate, NegativeControl, TotalEffect
from .evaluation import evaluate
from .inputs import audit, read
from .model import Model, models, plan
from .result import Result, load
from .samples import GraphSamples
from .simulation import simulate

__version__: str = _native.version
__all__ = [
    "Comparison",
    "DataWarning",
    "Dataset",
    "DoubtfulEffect",
    "EdgeEffect",
    "EffectEstimate",
    "Error",
    "GraphCheck",
    "GraphSamples",
    "InputError",
    "MethodResult",
    "Model",
    "NegativeControl",
    "Result",
    "TotalEffect",
    "UsageError",
    "Violation",
    "audit",
    "compare",
    "discover",
    "evaluate",
    "load",
    "methods",
    "models",
    "plan",
    "read",
    "run_method",
    "simulate",
]
