"""Checkpoints as docs/robustness.md describes them: taken apart, and put together again with a right checksum."""

import ctypes
import ctypes.util
import dataclasses
import struct

MAGIC, HEADER = b"SLMCHECK", 32
TEXT, DOUBLE, COUNT, MATRIX, VECTOR, DOUBLES, COUNTS = range(1, 8)
WORD_BITS = 64
ODD = 0x9E3779B97F4A7C15
MASK = (1 << WORD_BITS) - 1


@dataclasses.dataclass
class Entry:
    type: int
    node: int
    rows: int
    columns: int
    name: bytes
    data: bytes


def padded(data):
    return data + b"\0" * (-len(data) % 8)


def rotate(value, by):
    return ((value << by) | (value >> (WORD_BITS - by))) & MASK


def lanes_checksum(data):
    """Of version 1: four independent lanes."""
    lanes, words = [1, 2, 3, 4], len(data) // 8
    for i, word in enumerate(struct.unpack(f"={words}Q", data[: 8 * words])):
        lanes[i % 4] = rotate((lanes[i % 4] ^ word) * ODD & MASK, 29)
    tail = int.from_bytes(padded(data[8 * words:]) or b"\0", "little")
    total = (len(data) ^ tail) * ODD & MASK
    for lane in lanes:
        total = rotate((total ^ lane) * ODD & MASK, 31)
        total ^= total >> 32
    return total


def xxhash_checksums():
    name = ctypes.util.find_library("xxhash")
    if name:
        library = ctypes.CDLL(name)
        for function in ("XXH3_64bits", "XXH64"):
            call = getattr(library, function)
            call.restype = ctypes.c_uint64
            call.argtypes = [ctypes.c_char_p, ctypes.c_size_t] + ([ctypes.c_uint64] if function == "XXH64" else [])
            yield (lambda data, call=call: call(data, len(data))) if function == "XXH3_64bits" else (
                lambda data, call=call: call(data, len(data), 0))


def checksum_of(data, wanted):
    """The function that gives `wanted`: the format's version may change which one it is."""
    for function in (lanes_checksum, *xxhash_checksums()):
        if function(data) == wanted:
            return function
    raise SystemExit("checkpoint_file: expected a checksum that is known here, got another")


def take_apart(file):
    """The head (mark and version), the entries, and the checksum's function."""
    if file[:8] != MAGIC:
        raise SystemExit("checkpoint_file: expected a checkpoint, got something else")
    size, total = struct.unpack_from("=QQ", file, 16)
    body = file[HEADER:HEADER + size]
    entries, at = [], 0
    while at < len(body):
        kind, length, node, rows, columns = struct.unpack_from("=IIqqq", body, at)
        at += 32
        name = body[at:at + length]
        at += len(padded(name))
        count = rows * columns * (1 if kind == TEXT else 8)
        entries.append(Entry(kind, node, rows, columns, name, body[at:at + count]))
        at += len(padded(entries[-1].data))
    return file[8:16], entries, checksum_of(body, total)


def put_together(head, entries, checksum):
    body = b"".join(struct.pack("=IIqqq", e.type, len(e.name), e.node, e.rows, e.columns) + padded(e.name) + padded(e.data)
                    for e in entries)
    return MAGIC + head + struct.pack("=QQ", len(body), checksum(body)) + body
