"""`paddle.inference`: predictors, which run the programs that `paddle.jit.save` and its like have written."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any

import numpy as np

from penstock.paddle._convert import to_tensor
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._mode import mode
from penstock.paddle._names import absent
from penstock.trace.source_site import here


class PrecisionType(enum.Enum):
    """The precisions in which Paddle's predictors compute; here a predictor computes as it was trained."""

    Float32, Int8, Half, Bfloat16 = range(4)


class PlaceType(enum.Enum):
    """The kinds of places; there is one."""

    UNK, CPU, GPU, XPU = -1, 0, 1, 2


class DataType(enum.Enum):
    """The dtypes of a predictor's tensors."""

    FLOAT32, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64 = range(8)


_SETTINGS = """
    enable_use_gpu disable_gpu enable_xpu enable_mkldnn disable_mkldnn enable_onednn disable_onednn
    set_mkldnn_cache_capacity enable_mkldnn_bfloat16 enable_mkldnn_int8 set_mkldnn_op
    set_cpu_math_library_num_threads switch_ir_optim switch_ir_debug enable_memory_optim
    switch_use_feed_fetch_ops switch_specify_input_names enable_tensorrt_engine
    set_trt_dynamic_shape_info enable_tuned_tensorrt_dynamic_shape collect_shape_range_info
    enable_profile disable_glog_info delete_pass exp_disable_tensorrt_ops enable_new_ir
    enable_new_executor set_optim_cache_dir set_optimization_level enable_cinn
    enable_low_precision_io exp_enable_use_cutlass enable_gpu_multi_stream enable_custom_device
    set_exec_stream enable_onnxruntime disable_onnxruntime
"""
_ANSWERS = {
    "use_gpu": False, "use_xpu": False, "ir_optim": True, "mkldnn_enabled": False, "onednn_enabled": False,
    "tensorrt_engine_enabled": False, "enable_memory_optim_": True, "glog_info_disabled": False,
    "cpu_math_library_num_threads": 1, "gpu_device_id": 0, "model_from_memory": False,
    "specify_input_name": True, "use_feed_fetch_ops_enabled": False, "is_valid": True,
}  # fmt: skip


def _setting(name: str) -> Any:
    def setting(self: Config, *arguments: Any, **options: Any) -> None:
        pass

    setting.__name__, setting.__qualname__ = name, f"Config.{name}"
    setting.__doc__ = (
        "Does nothing, with any `arguments` and `options`: steps are compiled for where they run."
    )
    return setting


def _answer(name: str, value: Any) -> Any:
    def answer(self: Config) -> Any:
        return value

    answer.__name__, answer.__qualname__ = name, f"Config.{name}"
    answer.__doc__ = f"Returns {value!r}."
    return answer


class Config:
    """Says where a predictor finds its program, and takes Paddle's settings of speed, which do nothing.

    `model` is the file `*.json` or its path without the suffix, or a folder that holds one; `params` is the
    file with the values.
    """

    def __init__(self, model: Any = None, params: Any = None) -> None:
        self._model, self._params = model, params

    def set_model(self, model: Any, params: Any = None) -> None:
        """Says where the program and the values are, as the constructor does."""
        self._model, self._params = model, params

    def set_prog_file(self, path: Any) -> None:
        """Says where the program is."""
        self._model = path

    def set_params_file(self, path: Any) -> None:
        """Says where the values are."""
        self._params = path

    def prog_file(self) -> str:
        """Returns the path of the program."""
        return str(self._model or "")

    def params_file(self) -> str:
        """Returns the path of the values."""
        return str(self._params or "")

    def model_dir(self) -> str:
        """Returns the folder of the program, if a folder was given."""
        return str(self._model) if self._model and Path(self._model).is_dir() else ""

    def summary(self) -> str:
        """Returns where the program and the values are, as text."""
        return f"model file: {self.prog_file()}\nparams file: {self.params_file()}"

    for _name in _SETTINGS.split():
        locals()[_name] = _setting(_name)
    for _name, _value in _ANSWERS.items():
        locals()[_name.rstrip("_")] = locals().get(_name.rstrip("_")) or _answer(_name, _value)
    del _name, _value


class Tensor:
    """A handle on an input or an output of a predictor: arrays are copied into it and out of it."""

    def __init__(self, name: str, dtype: Any) -> None:
        self._name, self._dtype = name, dtype
        self._shape: tuple[int, ...] | None = None
        self._value: Any = None

    def name(self) -> str:
        """Returns the name."""
        return self._name

    def reshape(self, shape: Any) -> None:
        """Says which shape the next array has; arrays of other shapes are still taken."""
        self._shape = tuple(map(int, shape))

    def copy_from_cpu(self, data: Any) -> None:
        """Takes an array, of the dtype that the program was written for."""
        self._value = np.array(data)

    share_external_data = copy_from_cpu

    def copy_to_cpu(self) -> np.ndarray[Any, Any]:
        """Returns the value as an array; raises ValueError before the predictor has run."""
        if self._value is None:
            raise InvalidValueError(
                f"{self._name} has no value yet.", remedy="Call predictor.run() first.", site=here()
            )
        return np.array(self._value)

    def shape(self) -> list[int]:
        """Returns the length of each axis."""
        return list(self._shape or () if self._value is None else self._value.shape)

    def type(self) -> DataType:
        """Returns the dtype."""
        return DataType[np.dtype(self._dtype).name.upper()]

    def lod(self) -> list[Any]:
        """Returns an empty list: sequences are padded."""
        return []

    def set_lod(self, lod: Any) -> None:
        """Does nothing: sequences are padded, so there is no `lod`."""


class Predictor:
    """Runs a program on arrays: fill the input handles, call `run`, and read the output handles."""

    def __init__(self, config: Config) -> None:
        from penstock.paddle.static import _files as files

        prefix, values = _files_of(config)
        written = files.read(prefix, values)
        if written is None:
            raise InvalidValueError(
                f"There is no file {prefix}.json.",
                remedy="Write it with paddle.jit.save(layer, path, input_spec=[...]), and pass path.",
                site=here(),
            )
        if isinstance(written, str):
            raise NotThereError(
                f"{prefix}.pdiparams holds weights, and the calls to make are not in a file.",
                why=f"When it was saved, {written}.",
                remedy="Make the layer, load its weights, and call it inside `with paddle.no_grad():`.",
                site=here(),
            )
        self._config, self._written = config, written
        self._inputs = {one.name: Tensor(one.name, one.spec.dtype) for one in written.feed}
        self._outputs = {
            f"fetch_name_{i}": Tensor(f"fetch_name_{i}", one.spec.dtype)
            for i, one in enumerate(written.fetch)
        }

    def get_input_names(self) -> list[str]:
        """Returns the names of the inputs."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Returns the names of the outputs."""
        return list(self._outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """Returns the handle of an input."""
        return self._inputs[name]

    def get_output_handle(self, name: str) -> Tensor:
        """Returns the handle of an output."""
        return self._outputs[name]

    get_input_tensor, get_output_tensor = get_input_handle, get_output_handle

    def get_input_types(self) -> dict[str, DataType]:
        """Returns the dtype of each input."""
        return {name: one.type() for name, one in self._inputs.items()}

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """Returns the shape of each input, -1 for a length that may vary."""
        return {one.name: list(one.shape) for one in self._written.feed}

    def run(self, inputs: Any = None) -> Any:
        """Computes the outputs; returns True, or the outputs as tensors where `inputs` are given.

        Raises ValueError for an input whose shape or dtype is not that of the program.
        """
        from penstock.paddle.static._running import _fed

        if inputs is None:
            given = [self._inputs[one.name].copy_to_cpu() for one in self._written.feed]
        else:
            given = [np.asarray(one) for one in inputs]
        with mode.running(), no_grad():
            fed = [_fed(variable, one) for variable, one in zip(self._written.feed, given, strict=True)]
            found = self._written.values(fed, True)
            for one, value in zip(self._outputs.values(), found):
                one._value = value.numpy()
            if inputs is not None:
                return [to_tensor(one._value) for one in self._outputs.values()]
        return True

    def clone(self, stream: Any = None) -> Predictor:
        """Returns another predictor of the same program; there is one `stream`."""
        return Predictor(self._config)

    def clear_intermediate_tensor(self) -> None:
        """Does nothing: none is kept."""

    def try_shrink_memory(self) -> int:
        """Returns 0: no memory is held."""
        return 0


class PredictorPool:
    """Several predictors of one program."""

    def __init__(self, config: Config, size: int = 1) -> None:
        self._predictors = [Predictor(config) for _ in range(size)]

    def retrieve(self, idx: int) -> Predictor:
        """Returns one of the predictors by its number."""
        return self._predictors[idx]

    retrive = retrieve


def create_predictor(config: Config) -> Predictor:
    """Returns a predictor of the program that a configuration names."""
    return Predictor(config)


def get_version() -> str:
    """Returns the version of Paddle that is followed."""
    from penstock import paddle

    return f"version: {paddle.__version__}"


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """Returns how many bytes an element takes."""
    return np.dtype(dtype.name.lower()).itemsize


def _files_of(config: Config) -> tuple[str, str | None]:
    """Returns the path of the program without its suffix, and that of the values."""
    if not config._model:
        raise InvalidValueError(
            "The configuration names no program.",
            remedy="paddle.inference.Config(path + '.json', path + '.pdiparams')",
            site=here(),
        )
    model = Path(config._model)
    if model.is_dir():
        found = sorted(model.glob("*.json"))
        if len(found) == 1:
            model = found[0]
    prefix = str(model)
    for suffix in (".json", ".pdmodel"):
        prefix = prefix.removesuffix(suffix)
    values = str(config._params) if config._params else None
    return prefix, values


__all__ = [
    "Config", "DataType", "PlaceType", "PrecisionType", "Predictor", "PredictorPool", "Tensor",
    "create_predictor", "get_num_bytes_of_data_type", "get_version",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise absent("paddle.inference", name, __all__)
