"""tf.test: questions about the machine, and test cases with TensorFlow's assertions."""

from __future__ import annotations

import contextlib as _contextlib
import sys as _sys
import tempfile as _tempfile
import unittest as _unittest
from collections.abc import Iterator as _Iterator
from typing import Any

import numpy as _np

from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor


def is_built_with_cuda() -> bool:
    """Returns False: values are computed by NumPy and XLA."""
    return False


def is_built_with_rocm() -> bool:
    """Returns False: values are computed by NumPy and XLA."""
    return False


def is_built_with_gpu_support() -> bool:
    """Returns False: no device of TensorFlow's is driven here."""
    return False


def is_built_with_xla() -> bool:
    """Returns True: XLA compiles steps."""
    return True


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Returns False: tf.config lists the devices there are.

    `cuda_only` and `min_cuda_compute_capability` do nothing: there is no device of TensorFlow's.
    """
    return False


def gpu_device_name() -> str:
    """Returns an empty string: there is no such device."""
    return ""


def main(argv: Any = None) -> None:
    """Runs the tests of the program that calls it, as `unittest.main` does."""
    _unittest.main(argv=argv)


def _plain(value: Any) -> Any:
    if isinstance(value, _Tensor | _Cell):
        return _np.asarray(value.numpy())
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(one, _Tensor | _Cell) for one in value):
        return [_plain(one) for one in value]
    return value


class _AtOnce:
    """Stands in for a session in a program whose tensors have values at once."""

    def run(self, fetches: Any, *arguments: Any, **options: Any) -> Any:
        """Returns the values of tensors as arrays."""
        return _plain(fetches() if callable(fetches) else fetches)


def _session_of_graph(graph: Any, config: Any) -> Any:
    """Returns the default session, or a new one, of the graph that is being built; None outside of one."""
    module = _sys.modules.get("penstock.tensorflow._graphs.graph")
    if module is None or (module.mode.building() is None and graph is None):
        return None
    from penstock.tensorflow._session import Session

    if graph is None and module.mode.sessions:
        return module.mode.sessions[-1]
    return Session(graph=graph, config=config)


class TestCase(_unittest.TestCase):
    """A test case that compares tensors, variables, arrays and lists of them.

    >>> from penstock import tensorflow as tf
    >>> tf.test.TestCase().assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0000001])
    """

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of tensors as arrays; those of a graph are run in the default session."""
        session = _session_of_graph(None, None)
        return _plain(tensors) if session is None else session.run(tensors)

    @_contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> _Iterator[Any]:
        """A session of the graph that is being built; outside of one, an object whose `run` gives values.

        `use_gpu` and `force_gpu` do nothing.
        """
        found = _session_of_graph(graph, config)
        if found is None:
            yield _AtOnce()
            return
        with found.graph.as_default(), found.as_default():
            yield found

    cached_session = test_session = session

    def get_temp_dir(self) -> str:
        """Returns a folder of this test's own."""
        if not hasattr(self, "_folder"):
            self._folder = _tempfile.mkdtemp()
        return self._folder

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails unless both have one shape and equal elements."""
        _np.testing.assert_array_equal(_plain(a), _plain(b), err_msg=msg or "", strict=False)
        self.assertShapeEqual(a, b, msg)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None) -> None:
        """Fails unless both are close, element by element; dictionaries by name."""
        first, second = _plain(a), _plain(b)
        if isinstance(first, dict):
            self.assertEqual(set(first), set(second), msg)
            for key, one in first.items():
                self.assertAllClose(one, second[key], rtol, atol, msg)
            return
        self.assertShapeEqual(first, second, msg)
        _np.testing.assert_allclose(first, second, rtol, atol, err_msg=msg or "")

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Fails if both are close, element by element."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(msg or "The two values are close at all elements.")

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails if both have equal elements."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(msg or "The two values are equal at all elements.")

    def assertShapeEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails unless both have one shape."""
        self.assertEqual(_np.shape(_plain(a)), _np.shape(_plain(b)), msg)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        """Fails unless two numbers are at most `err` apart."""
        self.assertLessEqual(abs(float(_plain(f1)) - float(_plain(f2))), err, msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are greater than a number."""
        self.assertTrue(bool((_np.asarray(_plain(a)) > comparison_target).all()))

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are less than a number."""
        self.assertTrue(bool((_np.asarray(_plain(a)) < comparison_target).all()))

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any) -> None:
        """Fails unless all elements are between two numbers."""
        values = _np.asarray(_plain(target))
        self.assertTrue(bool(((values >= lower_bound) & (values <= upper_bound)).all()))


__getattr__, __dir__, __all__ = _namespace("tf.test", globals())
