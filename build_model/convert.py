"""Write MiniLM's published weights as one ONNX graph in 8-bit integers, with fused transformer operators."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

Weights = Mapping[str, NDArray[np.float32]]

_LAYERS = 6
_HEADS = 12
_WIDTH = 384
_EPSILON = 1e-12
_FUSED = "com.microsoft"
_QUANTISED = ["MatMul", "Attention", "EmbedLayerNormalization"]


def convert(weights: Weights, target: Path) -> None:
    """Write the model to `target`: token ids and mask in; token vectors and the sentence's unit vector out."""
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, "float32.onnx")
        onnx.save(float_model(weights), full)
        quantize_dynamic(
            full,
            target,
            per_channel=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=_QUANTISED,
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
        )


def float_model(weights: Weights) -> onnx.ModelProto:
    """Return the model in 32-bit floats, before quantisation."""
    graph = _Graph(weights)
    tokens = _encoder(graph)
    _mean_pooling(graph, tokens)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(graph.build(), opset_imports=opsets, ir_version=9)


def _encoder(graph: _Graph) -> str:
    graph.add("Cast", ["attention_mask"], "mask_int32", to=TensorProto.INT32)
    hidden = _embeddings(graph)
    for layer in range(_LAYERS):
        hidden = _feed_forward(graph, layer, _attention(graph, layer, hidden))
    return graph.add("Identity", [hidden], "last_hidden_state")


def _embeddings(graph: _Graph) -> str:
    graph.add("Cast", ["input_ids"], "ids_int32", to=TensorProto.INT32)
    # Every text is one segment, so the vector of segment 0 is folded into the positions.
    positions = graph.weight("embeddings.position_embeddings") + graph.weight("embeddings.token_type_embeddings")[0]
    inputs = [
        "ids_int32",
        "",
        graph.constant("word_embeddings", graph.weight("embeddings.word_embeddings")),
        graph.constant("position_embeddings", positions),
        "",
        *graph.parameters("embeddings.LayerNorm"),
    ]
    return graph.add("EmbedLayerNormalization", inputs, "embedded", "mask_index", fused=True, epsilon=_EPSILON)


def _attention(graph: _Graph, layer: int, hidden: str) -> str:
    prefix = f"encoder.layer.{layer}.attention"
    parts = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
    weight = graph.constant(f"{prefix}.qkv.weight", np.concatenate([graph.weight(part).T for part in parts], axis=1))
    bias = graph.constant(f"{prefix}.qkv.bias", np.concatenate([graph.bias(part) for part in parts]))
    inputs = [hidden, weight, bias, "mask_int32"]
    attended = graph.add("Attention", inputs, f"{prefix}.context", fused=True, num_heads=_HEADS)
    return _project_and_add(graph, f"{prefix}.output", attended, residual=hidden)


def _feed_forward(graph: _Graph, layer: int, hidden: str) -> str:
    prefix = f"encoder.layer.{layer}"
    weight, bias = graph.linear(f"{prefix}.intermediate.dense")
    widened = graph.add("MatMul", [hidden, weight], f"{prefix}.intermediate")
    biased = graph.add("Add", [widened, bias], f"{prefix}.biased")
    activated = graph.add("Gelu", [biased], f"{prefix}.activated", fused=True)
    return _project_and_add(graph, f"{prefix}.output", activated, residual=hidden)


def _project_and_add(graph: _Graph, prefix: str, hidden: str, *, residual: str) -> str:
    """Add in this order: then the runtime leaves the nodes apart, and its fused one takes a fifth of a run more."""
    weight, bias = graph.linear(f"{prefix}.dense")
    projected = graph.add("MatMul", [hidden, weight], f"{prefix}.projected")
    added = graph.add("Add", [graph.add("Add", [projected, residual], f"{prefix}.added"), bias], f"{prefix}.biased")
    inputs = [added, *graph.parameters(f"{prefix}.LayerNorm")]
    return graph.add("LayerNormalization", inputs, f"{prefix}.normalised", epsilon=_EPSILON)


def _mean_pooling(graph: _Graph, tokens: str) -> None:
    token_axis = graph.constant("token_axis", np.array([1], np.int64))
    width_axis = graph.constant("width_axis", np.array([2], np.int64))
    mask = graph.add("Cast", ["attention_mask"], "mask_float", to=TensorProto.FLOAT)
    column = graph.add("Unsqueeze", [mask, width_axis], "mask_column")
    masked = graph.add("Mul", [tokens, column], "masked_tokens")
    total = graph.add("ReduceSum", [masked, token_axis], "token_sum", keepdims=0)
    count = graph.add("ReduceSum", [column, token_axis], "token_count", keepdims=0)
    mean = graph.add("Div", [total, count], "token_mean")
    graph.add("LpNormalization", [mean], "sentence_embedding", axis=1, p=2)


class _Graph:
    """Collects nodes and constants, each named after what it computes, and reads the published weights."""

    def __init__(self, weights: Weights) -> None:
        self._weights = {name.removeprefix("bert."): value for name, value in weights.items()}
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def weight(self, name: str) -> NDArray[np.float32]:
        return self._weights[f"{name}.weight"]

    def bias(self, name: str) -> NDArray[np.float32]:
        return self._weights[f"{name}.bias"]

    def linear(self, name: str) -> tuple[str, str]:
        weight = self.constant(f"{name}.weight", self.weight(name).T)
        return weight, self.constant(f"{name}.bias", self.bias(name))

    def parameters(self, name: str) -> tuple[str, str]:
        weight = self.constant(f"{name}.weight", self.weight(name))
        return weight, self.constant(f"{name}.bias", self.bias(name))

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, inputs: list[str], *outputs: str, fused: bool = False, **attributes: float) -> str:
        domain = _FUSED if fused else ""
        name = f"{outputs[0]}.{operator}"
        self._nodes.append(helper.make_node(operator, inputs, outputs, name, None, domain, None, **attributes))
        return outputs[0]

    def build(self) -> onnx.GraphProto:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [
            helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", _WIDTH]),
            helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["texts", _WIDTH]),
        ]
        return helper.make_graph(self._nodes, "minilm", inputs, outputs, self._constants)
