"""Lines of comma-separated values as columns."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from penstock.tensorflow._convert import constant
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._string_type import STRING, StringType
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.trace.source_site import here


class Column:
    """A column's dtype, and its value for an empty field (None for an error)."""

    def __init__(self, default: Any) -> None:
        self.default: Any = None
        if isinstance(default, DType | StringType):
            self.dtype: Any = default
            return
        if is_text(default):
            self.dtype, self.default = STRING, np.asarray(strings(default)).ravel().tolist()[0]
            return
        value = default if isinstance(default, StringTensor) else constant(default)
        array = np.asarray(value)
        if array.size > 1:
            raise ArgumentError("Each record default should be at most one value.", site=here())
        self.dtype = as_dtype(array.dtype)
        self.default = array.ravel()[0] if array.size else None

    def read(self, text: str, number: int, missing: bool) -> Any:
        """Returns a field as a value; raises InvalidArgumentError if it is not a number."""
        if missing:
            if self.default is None:
                raise InvalidArgumentError(f"Field {number} is required but missing in record!", site=here())
            return self.default
        if self.dtype == STRING:
            return text.encode()
        try:
            return np.dtype(self.dtype.as_numpy_dtype).type(text.strip())
        except ValueError:
            raise InvalidArgumentError(
                f"Field {number} in record is not a valid {self.dtype.name}: {text}", site=here()
            ) from None

    def tensor(self, values: list[Any], shape: Any) -> Any:
        """Returns values as a tensor."""
        if self.dtype == STRING:
            flat = np.empty(len(values), object)
            flat[:] = values
            return StringTensor(flat.reshape(shape))
        return constant(np.asarray(values, self.dtype.as_numpy_dtype).reshape(shape))


def fields(line: str, delimiter: str, quoted: bool) -> list[str]:
    """Returns the fields of a line."""
    if not quoted:
        return line.split(delimiter)
    return next(csv.reader([line], delimiter=delimiter), [])


def columns_of(
    records: Any, defaults: Any, delimiter: str, quoted: bool, na_value: str, chosen: Any
) -> list[Any]:  # fmt: skip
    """Returns a tensor for each column of lines."""
    lines = np.asarray(strings(records))
    kept = [Column(one) for one in defaults]
    rows = []
    for line in lines.ravel().tolist():
        parts = fields(line.decode(), delimiter, quoted)
        if chosen is not None:
            parts = [parts[number] for number in chosen]
        if len(parts) != len(kept):
            raise InvalidArgumentError(
                f"Expect {len(kept)} fields but have {len(parts)} in record", origin=repr(line), site=here()
            )
        rows.append(
            [one.read(text, n, text in ("", na_value)) for n, (one, text) in enumerate(zip(kept, parts))]
        )
    columns = list(zip(*rows)) if rows else [() for _ in kept]
    return [one.tensor(list(values), lines.shape) for one, values in zip(kept, columns)]
