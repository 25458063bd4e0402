"""Export: a trained cross-encoder as an ONNX file without the tables that it shares with the embedder."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.encoder import EPSILON, CrossEncoder

Weights = Literal["fp32", "q8", "int8"]
"""How linear layers are stored and computed: 32 bits; 8 bits in blocks of 32 that share a scale, computed in float32;
or 8 bits with a scale for each output, computed in 8 bits but for the layers `IN_BLOCKS`, which are as in q8.
"""
BLOCK = 32
IN_BLOCKS = "fo"
"""The second half of the feed-forward part: what it reads has outliers that 8 bits for all of it cannot hold."""
HALF = 128
_LEAST = 1e-12
_REACH = 3.0
"""Standard deviations that a normalised value stays within, as a rule."""
_CONTRIB = "com.microsoft"


def exported(encoder: CrossEncoder, weights: Weights) -> bytes:
    """The file's content: inputs `input_ids`, `attention_mask` int64 (rows, length); output `score` float32 (rows,)."""
    graph = _Graph(encoder, weights)
    tokens = graph.embedded()
    for number in range(encoder.shape.layers):
        tokens = graph.block(number, tokens)
    graph.head(tokens)
    content: bytes = graph.model().SerializeToString()
    return content


def in_blocks(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A weight (outputs, inputs) as numbers 0..255 around 128 (outputs, blocks, 32) and scales (outputs, blocks)."""
    blocks = weight.reshape(len(weight), -1, BLOCK)
    scales = np.maximum(np.abs(blocks).max(axis=-1), _LEAST) / (HALF - 1)
    numbers = np.round(blocks / scales[..., None]) + HALF
    return numbers.astype(np.uint8), scales.astype(np.float32)


def per_output(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A weight (outputs, inputs) as int8 within ±127 and one scale for each output (outputs,)."""
    scales = np.maximum(np.abs(weight).max(axis=1), _LEAST) / (HALF - 1)
    return np.round(weight / scales[:, None]).astype(np.int8), scales.astype(np.float32)


class _Graph:
    """The graph while it is built."""

    def __init__(self, encoder: CrossEncoder, weights: Weights) -> None:
        self._state: Mapping[str, np.ndarray] = {
            name: value.detach().numpy() for name, value in encoder.state_dict().items()
        }
        self._heads = encoder.shape.heads
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._tensors: list[onnx.TensorProto] = []

    def embedded(self) -> str:
        """Words and positions, normalised: the shared tensors are only named, and come in when the file is loaded."""
        words = self._node(
            "GatherBlockQuantized", ["emb.word", "input_ids", "emb.scale"], "words", _CONTRIB,
            block_size=BLOCK, gather_axis=0, quantize_axis=1,
        )  # fmt: skip
        length = self._node("Shape", ["input_ids"], "length", start=1, end=2)
        zero = self._number("zero", 0)
        places = self._node("Slice", ["pos", zero, length, zero], "places")
        summed = self._node("Add", [words, places], "summed")
        self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        return self._node("LayerNormalization", [summed, "eln.w", "eln.b"], "x0", axis=-1, epsilon=EPSILON)

    def block(self, number: int, tokens: str) -> str:
        """One transformer layer."""
        at = f"blocks.{number}"
        before = f"blocks.{number - 1}.oln" if number else "eln"
        reader = self._eased(before, [f"{at}.{name}" for name in "qkv"], tokens)
        parts = [reader(f"{at}.{name}") for name in "qkv"]
        seen = self._node("MultiHeadAttention", [*parts, "", "mask"], f"{at}.seen", _CONTRIB, num_heads=self._heads)
        tokens = self._normed(f"{at}.aln", self._linear(f"{at}.ao", seen), tokens)
        reader = self._eased(f"{at}.aln", [f"{at}.fi"], tokens)
        inner = self._node("Gelu", [reader(f"{at}.fi")], f"{at}.inner", _CONTRIB)
        return self._normed(f"{at}.oln", self._linear(f"{at}.fo", inner), tokens)

    def head(self, tokens: str) -> None:
        """The mean of the tokens that are there, then one number."""
        one, two = self._number("one", 1), self._number("two", 2)
        there = self._node("Cast", ["attention_mask"], "there", to=TensorProto.FLOAT)
        kept = self._node("Mul", [tokens, self._node("Unsqueeze", [there, two], "there3")], "kept")
        total = self._node("ReduceSum", [kept, one], "total", keepdims=0)
        count = self._node("ReduceSum", [there, one], "count", keepdims=1)
        mean = self._node("Div", [total, count], "mean")
        weight = self._tensor("head.w", self._state["head.weight"].T)
        scores = self._node("MatMul", [mean, weight], "scores")
        flat = self._node("Squeeze", [scores, one], "flat")
        self._node("Add", [flat, self._tensor("head.b", self._state["head.bias"])], "score")

    def model(self) -> onnx.ModelProto:
        """What was built."""
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "length"]) for name in
                  ("input_ids", "attention_mask")]  # fmt: skip
        output = helper.make_tensor_value_info("score", TensorProto.FLOAT, ["rows"])
        graph = helper.make_graph(self._nodes, "cross-encoder", inputs, [output], initializer=self._tensors)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def _eased(self, norm: str, names: Sequence[str], tokens: str) -> Callable[[str], str]:
        """Linear layers behind a layer norm; for int8 its few large channels are made smaller and their weights larger.

        The product is the same, and 8 bits then hold all channels (Xiao et al. 2023, "SmoothQuant", with the norm's
        own gain and bias in place of measured activations).
        """
        if self._weights != "int8":
            return lambda name: self._linear(name, tokens)
        reach = _REACH * np.abs(self._state[f"{norm}.weight"]) + np.abs(self._state[f"{norm}.bias"])
        heaviest = np.max([np.abs(self._state[f"{name}.weight"]).max(axis=0) for name in names], axis=0)
        ease = np.sqrt(np.maximum(reach, _LEAST) / np.maximum(heaviest, _LEAST)).astype(np.float32)
        smaller = self._node("Mul", [tokens, self._tensor(f"{names[0]}.ease", 1 / ease)], f"{names[0]}.eased")
        return lambda name: self._linear(name, smaller, ease)

    def _linear(self, name: str, tokens: str, ease: np.ndarray | None = None) -> str:
        weight, bias = self._state[f"{name}.weight"], self._tensor(f"{name}.b", self._state[f"{name}.bias"])
        if ease is not None:
            weight = weight * ease
        if self._weights == "fp32":
            product = self._node("MatMul", [tokens, self._tensor(f"{name}.w", weight.T)], f"{name}.product")
            return self._node("Add", [product, bias], f"{name}.out")
        if self._weights == "int8" and not name.endswith(IN_BLOCKS):
            stored, scale = per_output(weight)
            inputs = [tokens, self._tensor(f"{name}.w", stored.T), self._tensor(f"{name}.s", scale), "", bias]
            return self._node("DynamicQuantizeMatMul", inputs, f"{name}.out", _CONTRIB)
        stored, scale = in_blocks(weight)
        outputs, width = weight.shape
        inputs = [tokens, self._tensor(f"{name}.w", stored), self._tensor(f"{name}.s", scale), "", "", bias]
        sizes = {"K": width, "N": outputs, "bits": 8, "block_size": BLOCK}
        return self._node("MatMulNBits", inputs, f"{name}.out", _CONTRIB, **sizes, accuracy_level=0)

    def _normed(self, name: str, added: str, tokens: str) -> str:
        weight = self._tensor(f"{name}.w", self._state[f"{name}.weight"])
        bias = self._tensor(f"{name}.b", self._state[f"{name}.bias"])
        inputs = [added, tokens, weight, bias]
        return self._node("SkipLayerNormalization", inputs, f"{name}.out", _CONTRIB, epsilon=EPSILON)

    def _node(self, kind: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, list(inputs), [output], domain=domain, **attributes))
        return output

    def _tensor(self, name: str, values: np.ndarray) -> str:
        self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _number(self, name: str, value: int) -> str:
        return self._tensor(name, np.array([value], np.int64))
