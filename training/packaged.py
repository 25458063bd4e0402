"""The packaged embedder's weights as arrays: what a cross-encoder starts from, and whose word table it shares."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer

FOLDER = Path(str(files("stores.embeddings") / "e5_small_zh_en"))
MODEL = FOLDER / "model.q4.onnx"

BLOCK = 32
"""Neighbouring weights of a row that share one scale (Q4_0)."""
ZERO = 8
"""A 4-bit weight is (stored number - 8) times the scale of its block."""


def tokenizer() -> Tokenizer:
    """The embedder's tokenizer."""
    return Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


def initializers(file: Path) -> dict[str, onnx.TensorProto]:
    """The graph's stored tensors by name."""
    return {one.name: one for one in onnx.load(str(file)).graph.initializer}


def array(tensors: Mapping[str, onnx.TensorProto], name: str) -> np.ndarray:
    """A tensor that is stored as numbers."""
    values: np.ndarray = numpy_helper.to_array(tensors[name])
    return values


def linear(tensors: Mapping[str, onnx.TensorProto], name: str) -> np.ndarray:
    """The weight `name` of a 4-bit linear layer, exactly: float32 (outputs, inputs)."""
    packed = array(tensors, f"{name}.w")
    outputs, blocks, _ = packed.shape
    numbers = np.empty((outputs, blocks, BLOCK), np.float32)
    numbers[..., 0::2], numbers[..., 1::2] = packed & 15, packed >> 4
    scales = array(tensors, f"{name}.s").reshape(outputs, blocks, 1)
    weight: np.ndarray = ((numbers - ZERO) * scales).reshape(outputs, blocks * BLOCK)
    return weight


def word_table(tensors: Mapping[str, onnx.TensorProto]) -> np.ndarray:
    """The 4-bit word embeddings, exactly: float32 (tokens, width)."""
    stored, scales = tensors["emb.word"], array(tensors, "emb.scale")
    tokens, width = stored.dims
    packed = np.frombuffer(stored.raw_data, np.uint8).reshape(tokens, width // 2)
    numbers = np.empty((tokens, width), np.float32)
    numbers[:, 0::2], numbers[:, 1::2] = _signed(packed & 15), _signed(packed >> 4)
    table: np.ndarray = (numbers.reshape(tokens, -1, BLOCK) * scales[..., None]).reshape(tokens, width)
    return table


def _signed(nibbles: np.ndarray) -> np.ndarray:
    """Four bits in two's complement as -8..7."""
    return (nibbles.astype(np.int8) ^ ZERO) - ZERO
