"""Two ONNX files as one graph: a cross-encoder's own weights, and the tables it shares with the embedder.

An ONNX file is a protobuf message, and messages that are written one behind the other are read as their union: lists
are joined. So the shared tensors are cut out of the embedder's file as they stand, and put behind the other's bytes.
https://protobuf.dev/programming-guides/encoding/#last-one-wins
"""

from collections.abc import Iterator

SHARED = ("emb.word", "emb.scale", "pos", "eln.w", "eln.b")
"""Word table with its scales, positions, and the layer norm behind them."""
_MORE = 0x80
"""The bit of a byte that says: the number goes on."""
_GRAPH, _INITIALIZER, _NAME = 7, 5, 8
"""Field numbers in onnx.proto: ModelProto.graph, GraphProto.initializer, TensorProto.name."""


def with_shared(own: bytes, embedder: bytes) -> bytes:
    """The model `own` with the embedder's `SHARED` tensors.

    Raises:
        ValueError: the embedder's file lacks one of them, or is no ONNX file.
    """
    found = {_text(tensor, _NAME): tensor for tensor in _initializers(embedder)}
    missing = [name for name in SHARED if name not in found]
    if missing:
        raise ValueError(f"The embedder's file has no tensor {', '.join(missing)}.")
    graph = b"".join(_field(_INITIALIZER, bytes(found[name])) for name in SHARED)
    return own + _field(_GRAPH, graph)


def _initializers(model: bytes) -> Iterator[memoryview]:
    for number, graph in _fields(memoryview(model)):
        if number == _GRAPH:
            for inner, tensor in _fields(graph):
                if inner == _INITIALIZER:
                    yield tensor


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The fields of a message that have a length, with their numbers; the others are passed over."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        match key & 7:
            case 0:
                _, place = _varint(message, place)
            case 1:
                place += 8
            case 2:
                length, place = _varint(message, place)
                yield key >> 3, message[place : place + length]
                place += length
            case 5:
                place += 4
            case kind:
                raise ValueError(f"This is no ONNX file: wire type {kind}.")


def _text(message: memoryview, field: int) -> str:
    return next((bytes(value).decode() for number, value in _fields(message) if number == field), "")


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """A number, seven bits a byte, and where what follows begins."""
    value = shift = 0
    while True:
        if place >= len(message):
            raise ValueError("This is no ONNX file: it ends within a number.")
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < _MORE:
            return value, place


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _length(len(content)) + content


def _length(value: int) -> bytes:
    parts = []
    while value >= _MORE:
        parts.append(value & 0x7F | _MORE)
        value >>= 7
    return bytes([*parts, value])
