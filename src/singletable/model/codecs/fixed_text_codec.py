"""Codecs for times of day and IP addresses, whose texts have a fixed width and sort like the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, read_exactly
from singletable.model.regular_language import DIGITS, CharacterSet, Language, fixed

_HEX: CharacterSet = (*DIGITS, (ord("a"), ord("f")))
_SETS: Mapping[str, CharacterSet] = {"0": DIGITS, "f": _HEX}
"""The characters that each letter of a shape stands for; every other character is itself."""


@dataclass(frozen=True)
class FixedTextCodec(Codec):
    """Encodes values of one class as texts of one shape: `000.000.000.000` means groups of three digits and points."""

    type: type
    shape: str
    write: Callable[[Any], str]
    """Returns the text of a value; raises ValueError for a value that has none."""
    read: Callable[[str], Any]

    @property
    def language(self) -> Language:
        return fixed(*(_SETS.get(each, ((ord(each), ord(each)),)) for each in self.shape))

    @property
    def width(self) -> int:
        return len(self.shape)

    @property
    def last_text(self) -> str:
        return self.shape.replace("0", "9")

    @property
    def spans_segments(self) -> bool:
        return self.delimiter in self.shape

    def encode(self, value: Any) -> str:
        if type(value) is not self.type:
            raise KeyRefused(f"{value!r} is not {_article(self.type.__name__)} for {{field}}")
        try:
            return self.write(value)
        except KeyRefused:
            raise
        except ValueError as problem:
            raise KeyRefused(str(problem)) from problem

    def decode(self, text: str) -> Any:
        return read_exactly(self, text, self.read, f"{_article(self.type.__name__)} for {{field}}")


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def ip_codec(delimiter: str, cls: Any) -> Codec | None:
    """Return the codec of a class of IP addresses or networks; None for another class, such as an interface.

    Addresses sort by number. Networks sort by address, then by length of the prefix.
    """
    match cls.__name__:
        case "IPv4Address":
            return FixedTextCodec(delimiter, cls, "000.000.000.000", _padded, lambda text: cls(_unpadded(text)))
        case "IPv6Address":
            return FixedTextCodec(delimiter, cls, ":".join(["ffff"] * 8), _exploded, cls)
        case "IPv4Network":
            shape = "000.000.000.000/00"
            return FixedTextCodec(delimiter, cls, shape, _network, lambda text: cls(_unpadded(text)))
        case "IPv6Network":
            return FixedTextCodec(
                delimiter, cls, ":".join(["ffff"] * 8) + "/000", _network, lambda text: cls(_unpadded(text))
            )
        case _:
            return None


def _padded(address: Any) -> str:
    return ".".join(f"{octet:03d}" for octet in address.packed)


def _unpadded(text: str) -> str:
    """Return an address or network without the leading zeros of decimal numbers."""
    address, slash, length = text.partition("/")
    if "." in address:
        address = ".".join(str(int(octet)) for octet in address.split("."))
    return address + slash + (str(int(length)) if slash else "")


def _exploded(address: Any) -> str:
    if address.scope_id is not None:
        raise ValueError(f"{address} has a scope ID, which has no order; remove it, or store the address outside keys")
    return str(address.exploded)


def _network(network: Any) -> str:
    if network.version == 4:
        return f"{_padded(network.network_address)}/{network.prefixlen:02d}"
    return f"{_exploded(network.network_address)}/{network.prefixlen:03d}"
