"""tf.sysconfig: how TensorFlow was built, for programs that print it; nothing here is built in C++."""

from __future__ import annotations

from collections import OrderedDict as _OrderedDict
from typing import Any, NoReturn

from penstock.tensorflow._names import namespace as _namespace


def get_build_info() -> Any:
    """Returns that the dialect was built for no GPU: JAX brings what is needed for one.

    >>> from penstock import tensorflow as tf
    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return _OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


def _refused(name: str) -> Any:
    def function() -> NoReturn:
        raise NotImplementedError(
            f"tf.sysconfig.{name} is not supported: penstock.tensorflow has no C++ library to build "
            "operations against. Write the operation in Python, with its gradient by tf.custom_gradient."
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises NotImplementedError: there is no C++ library here."
    return function


get_include, get_lib, get_compile_flags, get_link_flags = (
    _refused(name) for name in ("get_include", "get_lib", "get_compile_flags", "get_link_flags")
)

__getattr__, __dir__, __all__ = _namespace("tf.sysconfig", globals())
