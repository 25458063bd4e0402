"""CrossEncoder: query and passage read together by the embedder's first layers, one number out."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training import packaged

EPSILON = 1e-12
"""Of every layer norm, as in the embedder."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of an encoder; the defaults are the embedder's, but for the number of layers."""

    layers: int = 6
    width: int = 384
    inner: int = 1_536
    heads: int = 12


class Block(nn.Module):
    """One transformer layer (post-norm, as BERT), over tokens without padding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.q, self.k, self.v, self.ao = (nn.Linear(width, width) for _ in range(4))
        self.fi, self.fo = nn.Linear(width, shape.inner), nn.Linear(shape.inner, width)
        self.aln, self.oln = (nn.LayerNorm(width, eps=EPSILON) for _ in range(2))

    def forward(self, tokens: Tensor, places: Tensor, mask: Tensor) -> Tensor:
        """Tokens (real, width) to the same; `places` of the real tokens in the flattened (rows · length) `mask`."""
        queries, keys, values = (self._apart(one(tokens), places, mask) for one in (self.q, self.k, self.v))
        seen = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask[:, None, None, :])
        rows, length = mask.shape
        attended = seen.transpose(1, 2).reshape(rows * length, -1).index_select(0, places)
        tokens = self.aln(tokens + self.ao(attended))
        whole: Tensor = self.oln(tokens + self.fo(nn.functional.gelu(self.fi(tokens))))
        return whole

    def _apart(self, tokens: Tensor, places: Tensor, mask: Tensor) -> Tensor:
        """Tokens (real, width) as (rows, heads, length, width / heads), zeros where nothing stands."""
        rows, length = mask.shape
        padded = tokens.new_zeros(rows * length, tokens.shape[-1]).index_copy(0, places, tokens)
        return padded.view(rows, length, self.heads, -1).transpose(1, 2)


class CrossEncoder(nn.Module):
    """Scores of (query, passage) rows: the mean of the last layer's tokens, then one linear head.

    Words and positions are buffers: they are the embedder's, stay as they are, and are in no checkpoint.
    """

    words: Tensor
    positions: Tensor

    def __init__(self, words: Tensor, positions: Tensor, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("words", words, persistent=False)
        self.register_buffer("positions", positions, persistent=False)
        self.eln = nn.LayerNorm(shape.width, eps=EPSILON)
        self.eln.requires_grad_(requires_grad=False)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.head = nn.Linear(shape.width, 1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Scores (rows,) of token ids (rows, length), `mask` true where a token stands."""
        places = mask.reshape(-1).nonzero()[:, 0]
        rows, length = mask.shape
        embedded = self.words[ids] + self.positions[:length]
        tokens = self.eln(embedded).reshape(rows * length, -1).index_select(0, places)
        for block in self.blocks:
            tokens = block(tokens, places, mask)
        owner = places // length
        summed = tokens.new_zeros(rows, tokens.shape[-1]).index_add(0, owner, tokens)
        scores: Tensor = self.head(summed / mask.sum(1, keepdim=True))[:, 0]
        return scores


def from_embedder(model: Path, layers: int) -> CrossEncoder:
    """An untrained cross-encoder: the first layers of the packaged embedder and a head of zeros."""
    tensors = packaged.initializers(model)
    words = torch.from_numpy(packaged.word_table(tensors))
    positions = torch.from_numpy(packaged.array(tensors, "pos").copy())
    encoder = CrossEncoder(words, positions, Shape(layers=layers))
    with torch.no_grad():
        _set(encoder.eln, packaged.array(tensors, "eln.w"), packaged.array(tensors, "eln.b"))
        for number, block in enumerate(encoder.blocks):
            for name, module in block.named_children():
                stored = f"l{number}.{name}"
                linear = isinstance(module, nn.Linear)
                weight = packaged.linear(tensors, stored) if linear else packaged.array(tensors, f"{stored}.w")
                _set(module, weight, packaged.array(tensors, f"{stored}.b"))
        encoder.head.weight.zero_()
        encoder.head.bias.zero_()
    return encoder


def _set(module: nn.Module, weight: np.ndarray, bias: np.ndarray) -> None:
    """Copy a layer's weight and bias; a shape that does not fit raises."""
    own = dict(module.named_parameters())
    own["weight"].copy_(torch.from_numpy(weight.copy()))
    own["bias"].copy_(torch.from_numpy(bias.copy()))
