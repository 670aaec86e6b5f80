"""CauScale: from a table of observations to a causal graph with a probability for every edge.

    import causcale
    result = causcale.discover(frame, interventions=targets, dag=True)
    result.edges            # pandas.DataFrame: source, target, probability, probability_reverse
    result.probabilities    # numpy [n, n], row -> column
    result.graph()          # networkx.DiGraph

Edges always lead from the source (the cause, a row of a matrix) to the target (the effect, a column).

The package runs on CauScale's own C++ library, which is linked with the system's libtorch. Do not import
PyPI's ``torch`` in the same process: two copies of libtorch do not get along.
"""
import sys as _sys
import warnings as _warnings

if "torch" in _sys.modules:
    _warnings.warn(
        "torch is already imported; causcale links the system's libtorch, and two copies in one process may "
        "crash. Use causcale in a process of its own.",
        RuntimeWarning,
        stacklevel=2,
    )

try:
    from . import _native
except ImportError as error:
    if "libtorch" in str(error) or "libc10" in str(error):
        raise ImportError(
            f"{error}. CauScale needs the libtorch that it was built with; on Debian 12: apt install libtorch-dev"
        ) from error
    raise

from ._native import Error, InputError, UsageError
from .comparison import Comparison, MethodResult, compare, methods, run_method
from .discovery import discover, models, plan
from .evaluation import evaluate
from .inputs import DataWarning, Dataset, audit, read
from .result import Result
from .simulation import simulate

__version__: str = _native.version
__all__ = [
    "Comparison",
    "DataWarning",
    "Dataset",
    "Error",
    "InputError",
    "MethodResult",
    "Result",
    "UsageError",
    "audit",
    "compare",
    "discover",
    "evaluate",
    "methods",
    "models",
    "plan",
    "read",
    "run_method",
    "simulate",
]
