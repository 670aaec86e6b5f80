"""What a network says of pairs beside edges: a shipped model with two outputs put on its head."""
import json
import pathlib
import pickle
import struct

import numpy as np
import pytest

import causcale

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
TOLD = {"feedback": 0.0, "confounded": 1.0}  # logits, the same of every pair


def with_outputs(model, to):
    """A copy whose head has one more row for each output: no weight, and a bias."""
    content = model.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    header["__metadata__"].update(outputs=",".join(TOLD), feedback_temperature="2", confounded_offset="0.5")
    tensors, offset, kept = {}, 0, []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        part, shape = data[begin:end], list(entry["shape"])
        if name.startswith("top_layer.linear2."):
            assert entry["dtype"] == "BF16"
            shape[0] += len(TOLD)
            if name.endswith("weight"):
                part += bytes(2 * len(TOLD) * shape[1])
            else:  # bfloat16: the upper half of a float
                part += b"".join(struct.pack("<f", logit)[2:] for logit in TOLD.values())
        tensors[name] = {"dtype": entry["dtype"], "shape": shape, "data_offsets": [offset, offset + len(part)]}
        offset += len(part)
        kept.append(part)
    text = json.dumps({"__metadata__": header["__metadata__"], **tensors}).encode()
    text += b" " * (-len(text) % 8)
    to.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(kept))
    return to


@pytest.fixture(scope="module")
def told(simulated, tmp_path_factory):
    file = with_outputs(MODELS / "synthetic.safetensors", tmp_path_factory.mktemp("model") / "telling.safetensors")
    return causcale.discover(simulated, model=str(file), warn=False)


def test_both_figures_are_matrices_and_columns(told, simulated):
    n = len(simulated.names)
    off_diagonal = ~np.eye(n, dtype=bool)
    both, hidden, edges = told.feedback, told.confounded, told.probabilities
    assert both.shape == hidden.shape == (n, n)
    np.testing.assert_allclose(hidden[off_diagonal], 1 / (1 + np.exp(-1.5)), atol=1e-6)
    # A logit of 0 at any temperature is one half, and feedback no more probable than either direction.
    np.testing.assert_allclose(both, np.minimum(0.5 * off_diagonal, np.minimum(edges, edges.T)), atol=1e-6)
    for row in told.edges.itertuples():
        i, j = told.names.index(row.source), told.names.index(row.target)
        assert row.feedback == both[i, j] and row.confounded == hidden[i, j]


def test_they_survive_pickles_and_other_thresholds(told):
    for other in (pickle.loads(pickle.dumps(told)), told.at(0.2)):
        np.testing.assert_allclose(other.feedback, told.feedback, atol=1e-12)
        np.testing.assert_allclose(other.confounded, told.confounded, atol=1e-12)


def test_a_model_without_them_tells_nothing(simulated):
    result = causcale.discover(simulated, model="synthetic", warn=False)
    assert result.feedback is None and result.confounded is None
