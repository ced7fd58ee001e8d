"""Conversion between the dataclasses of ``models`` and JSON."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from .errors import BadAnswerError

Model = TypeVar("Model")


def decode(model: type[Model], value: object) -> Model:
    """Reads an answer. Members that the model does not know are ignored: newer servers add some."""
    return cast(Model, _decode(model, value, model.__name__))


def encode(value: object) -> Any:
    """The JSON value of a model; members that are ``None`` are left out."""
    if dataclasses.is_dataclass(value):
        model = cast(type, type(value))
        members = {wire: getattr(value, name) for name, wire, _, _ in _members(model)}
        return {wire: encode(one) for wire, one in members.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [encode(one) for one in value]
    return value


@cache
def _members(model: type) -> tuple[tuple[str, str, Any, bool], ...]:
    """The attribute, wire name, type and necessity of each member."""
    hints = get_type_hints(model)
    return tuple(
        (one.name, one.metadata["wire"], hints[one.name], one.default is dataclasses.MISSING)
        for one in dataclasses.fields(cast(Any, model))
    )


def _decode(hint: Any, value: object, path: str) -> object:
    origin = get_origin(hint)
    if hint is Any or origin is Literal:
        # A value that a newer server added is more useful than a failure.
        return value
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(hint), value, path)
    if origin is tuple:
        items = _expect(list, value, path)
        return tuple(_decode(get_args(hint)[0], item, f"{path}[]") for item in items)
    if origin is not None and issubclass(origin, Mapping):
        items = _expect(dict, value, path)
        return {key: _decode(get_args(hint)[1], item, path) for key, item in items.items()}
    if dataclasses.is_dataclass(hint):
        return _decode_model(cast(type, hint), _expect(dict, value, path), path)
    return _expect(hint, value, path)


def _decode_model(model: type, value: dict[str, object], path: str) -> object:
    values: dict[str, object] = {}
    for name, wire, hint, is_required in _members(model):
        if wire in value:
            values[name] = _decode(hint, value[wire], f"{path}.{wire}")
        elif is_required:
            raise _unexpected(f"{path}.{wire}", "missing")
    return model(**values)


def _decode_union(members: tuple[Any, ...], value: object, path: str) -> object:
    if value is None and type(None) in members:
        return None
    others = [member for member in members if member is not type(None)]
    for member in others[:-1]:
        if _suits(member, value):
            return _decode(member, value, path)
    return _decode(others[-1], value, path)


def _suits(member: Any, value: object) -> bool:
    """Tells models apart by their constant members, such as ``type``."""
    if not dataclasses.is_dataclass(member):
        return get_origin(member) is None and isinstance(value, member)
    constants = {
        wire: get_args(hint)
        for _, wire, hint, _ in _members(cast(type, member))
        if get_origin(hint) is Literal and len(get_args(hint)) == 1
    }
    return isinstance(value, dict) and all(
        value.get(wire) in allowed for wire, allowed in constants.items()
    )


def _expect(kind: Any, value: object, path: str) -> Any:
    is_number = kind in (int, float) and not isinstance(value, bool)
    if isinstance(value, kind) and (is_number or kind not in (int, float)):
        return value
    if kind is float and is_number and isinstance(value, int):
        return value
    raise _unexpected(path, f"a {type(value).__name__} instead of a {kind.__name__}")


def _unexpected(path: str, problem: str) -> BadAnswerError:
    return BadAnswerError(f"{path} of the answer is {problem}.", code="bad_answer")
