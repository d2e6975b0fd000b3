"""Files of static programs: the values of parameters and of optimizers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock.declared import named
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle._mode import mode
from penstock.paddle._saving import load as load_file
from penstock.paddle._saving import save as save_file
from penstock.paddle.static._program import Program, programs
from penstock.trace.source_site import here


@named("paddle.static.save")
def save(program: Program, model_path: str, protocol: int = 4, **configs: Any) -> None:
    """Writes parameters to `model_path.pdparams`, and the state of optimizers to `model_path.pdopt`.

    Paddle also writes the program itself; here its code makes it again, so `configs` do nothing.
    """
    with mode.running():
        save_file(program.state_dict("param"), f"{model_path}.pdparams", protocol=protocol)
        save_file(program.state_dict("opt"), f"{model_path}.pdopt", protocol=protocol)


@named("paddle.static.load")
def load(program: Program, model_path: str, executor: Any = None, var_list: Any = None) -> None:
    """Reads the files of `save`, or the parameters in `var_list`; `executor` does nothing."""
    state = load_program_state(model_path)
    if var_list is not None:
        named = {one.name for one in var_list}
        state = {name: value for name, value in state.items() if name in named}
    program.set_state_dict(state)


@named("paddle.static.load_program_state")
def load_program_state(model_path: str, var_list: Any = None) -> dict[str, Any]:
    """Returns what `save` wrote as arrays by name."""
    path = str(model_path).removesuffix(".pdparams").removesuffix(".pdopt")
    if not Path(f"{path}.pdparams").exists():
        raise InvalidValueError(f"There is no file {path}.pdparams.", site=here())
    with mode.running():
        found: dict[str, Any] = dict(load_file(f"{path}.pdparams", return_numpy=True))
        if Path(f"{path}.pdopt").exists():
            found.update(load_file(f"{path}.pdopt", return_numpy=True))
    if var_list is not None:
        found = {one.name: found[one.name] for one in var_list if one.name in found}
    return found


@named("paddle.static.set_program_state")
def set_program_state(program: Program, state_dict: Any) -> None:
    """Gives a program's parameters the values that have their names."""
    program.set_state_dict(state_dict)


@named("paddle.static.normalize_program")
def normalize_program(program: Program, feed_vars: Any, fetch_vars: Any, **options: Any) -> Program:
    """Returns the part of the program that computes `fetch_vars`; `options` do nothing."""
    return pruned(program, _listed(feed_vars), _listed(fetch_vars))


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def pruned(program: Program, feed: list[Any], fetch: list[Any]) -> Program:
    """Returns a copy of a program for evaluation, with the operations that `fetch` needs."""
    from penstock.paddle.static._training import leaves_of

    made = program.clone(for_test=True)
    needed, kept = set(fetch), []
    for one in reversed(made.operations):
        if any(output in needed for output in one.outputs):
            kept.append(one)
            needed.update(one.inputs)
    made.operations[:] = kept[::-1]
    made.data = {name: one for name, one in program.data.items() if one in needed or one in set(feed)}
    read = {leaf for one in kept for leaf in leaves_of(one)}
    made.leaves = {name: one for name, one in program.leaves.items() if one in read or not one.trainable}
    return made


_saved: dict[str, tuple[Program, list[str], list[Any]]] = {}
"""The programs that this process has saved, and that no file can hold, by path."""


@named("paddle.static.save_inference_model")
def save_inference_model(
    path_prefix: str, feed_vars: Any, fetch_vars: Any, executor: Any, **options: Any
) -> None:
    """Writes the operations that `fetch_vars` need to `path_prefix.json`, and values to `.pdiparams`.

    A program with a call that has no form in a file, such as that of a function of its own, can be loaded in
    this process only. `executor` does nothing, nor do other `options` than `program`.
    """
    from penstock.paddle.static import _files as files

    program = options.get("program") or programs.main
    feed, fetch = _listed(feed_vars), _listed(fetch_vars)
    made = pruned(program, feed, fetch)
    place = str(Path(path_prefix).absolute())
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    _saved.pop(place, None)
    with mode.running():
        try:
            files.write(path_prefix, made, feed, fetch)
        except files.UnwritableError as error:
            files.write_weights(path_prefix, made.leaves, f"a file could not hold {error}")
            _saved[place] = made, [one.name for one in feed], fetch


@named("paddle.static.load_inference_model")
def load_inference_model(path_prefix: str, executor: Any, **options: Any) -> list[Any]:
    """Returns the saved program, the names of its data, and its outputs; `executor` does nothing.

    The parameters have the values of the file. Where a file could not hold the program, NotImplementedError
    in another process says why. Of the `options`, `model_filename` and `params_filename` name the files.
    """
    from penstock.paddle.static import _files as files

    found = _saved.get(str(Path(path_prefix).absolute()))
    if found is None:
        prefix, values = path_prefix, None
        if options.get("model_filename"):
            prefix = str(Path(path_prefix) / Path(options["model_filename"]).stem)
        if options.get("params_filename"):
            values = str(Path(path_prefix) / options["params_filename"])
        with mode.running():
            written = files.read(prefix, values)
        if written is None:
            raise InvalidValueError(f"There is no file {prefix}.json.", site=here())
        if isinstance(written, str):
            raise NotThereError(
                f"paddle.static.load_inference_model: {prefix}.pdiparams holds parameters; the program is "
                "not in a file.",
                why=f"When it was saved, {written}.",
                remedy="Make the program by its code, then: paddle.static.set_program_state(program, "
                f"paddle.load({prefix + '.pdiparams'!r})).",
                site=here(),
            )
        written.program.testing = True
        return [written.program, [one.name for one in written.feed], written.fetch]
    program, feed, fetch = found
    with mode.running():
        program.set_state_dict(load_file(f"{path_prefix}.pdiparams", return_numpy=True))
    return [program, feed, fetch]
