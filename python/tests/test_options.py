"""The signature of discover is the native module's list of options."""
import inspect
import re

import pytest

import causcale
from causcale.options import option_list, options_of

SIGNATURE = inspect.signature(causcale.discover).parameters


@pytest.mark.parametrize("option", option_list(), ids=lambda option: option["name"])
def test_signature_and_documentation(option):
    name = option["name"]
    assert name in SIGNATURE
    default = SIGNATURE[name].default
    assert (default or "" if option["kind"] in ("text", "choice") else default) == option["default"]
    assert re.search(rf"^    (\w+, )*{name}(, \w+)*$", causcale.discover.__doc__, re.M), "not documented"


def test_defaults_and_kinds():
    assert options_of() == {option["name"]: option["default"] for option in option_list()}
    numpy = pytest.importorskip("numpy")
    options = options_of(top=numpy.int64(3), threshold=numpy.float32(0.25), dag=True, model=None)
    assert (options["top"], options["threshold"], options["dag"], options["model"]) == (3, 0.25, "greedy", "")
    assert type(options["top"]) is int


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(views=1001), "views=1001: a whole number from 0 to 1000"),
        (dict(views=True), "views=True: a whole number"),
        (dict(bootstrap=2.5), "bootstrap=2.5: a whole number"),
        (dict(seed=-1), "seed=-1"),
        (dict(threshold="high"), "threshold='high': a number"),
        (dict(precision="fp8"), "precision='fp8'.*auto, fp32, bf16"),
        (dict(model=3), "model=3: a text"),
        (dict(dag="best"), "dag='best'.*greedy, optimal"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(causcale.UsageError, match=message):
        options_of(**given)
