"""Names of other frameworks beside those of Penstock: the tables of the pages "coming from".

What to write comes from the tables that the package answers with (`penstock.foreign`) and from the
spellings that the functions are held against (tests/oracles/vocabulary.py). Here stands only which framework
has a name.
"""

from __future__ import annotations

import re
import sys

from places import ROOT

import penstock as ps
from penstock.foreign import ATTRIBUTES, NAMES

sys.path.insert(0, str(ROOT / "tests"))

from oracles.vocabulary import CASES

THEIRS: dict[str, str] = {
    "pytorch": """
        torch.tensor torch.as_tensor torch.from_numpy torch.cat torch.vstack torch.hstack
        torch.unsqueeze torch.permute torch.swapaxes torch.ravel torch.flatten torch.transpose
        torch.clamp torch.mm torch.bmm torch.mv torch.gather torch.index_select torch.masked_fill
        torch.masked_select torch.scatter torch.topk torch.chunk torch.split torch.unbind
        torch.cumsum torch.cumprod torch.absolute torch.inverse torch.norm torch.unique
        torch.bincount torch.cov torch.inner torch.vdot torch.diag torch.arcsin torch.arccos
        torch.arctan torch.arctan2 torch.rand torch.randn torch.randint torch.randperm
        torch.manual_seed torch.no_grad torch.inference_mode torch.enable_grad torch.autograd
        torch.compile torch.optim torch.optim.lr_scheduler torch.nn.Parameter torch.nn.Module
        torch.nn.ModuleList torch.nn.Linear torch.nn.functional.linear torch.nn.functional.dropout
        torch.nn.CrossEntropyLoss torch.nn.MSELoss torch.nn.functional.mse_loss torch.nn.BCELoss
        torch.nn.BCEWithLogitsLoss torch.nn.utils torch.nn.utils.clip_grad_norm_ torch.utils.data
        torch.utils.data.Dataset torch.utils.data.DataLoader torch.allclose torch.amax torch.amin
        torch.nn.init torch.nn.functional.cross_entropy torch.nn.functional.interpolate
        torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.LayerNorm torch.nn.MaxPool2d
        torch.nn.AvgPool2d torch.nn.ConvTranspose2d torch.nn.GELU
        torch.optim.lr_scheduler.ReduceLROnPlateau torch.optim.lr_scheduler.StepLR
        torch.optim.lr_scheduler.CosineAnnealingLR torch.detach torch.cuda.set_device
    """,
    "keras": """
        tf.keras.losses.sparse_categorical_crossentropy
        tf.constant tf.convert_to_tensor tf.cast tf.function tf.reduce_sum tf.reduce_mean tf.reduce_max
        tf.reduce_min tf.reduce_prod tf.reduce_any tf.reduce_all tf.transpose tf.gather tf.gather_nd
        tf.boolean_mask tf.map_fn tf.split tf.Module tf.keras tf.keras.Input tf.keras.models
        tf.keras.losses.SparseCategoricalCrossentropy tf.keras.callbacks.ReduceLROnPlateau
        tf.keras.callbacks.CSVLogger tf.keras.callbacks.TensorBoard tf.keras.callbacks.ModelCheckpoint
        tf.keras.utils.to_categorical tf.keras.utils.set_random_seed
    """,
    "jax": """
        jax.tree jax.numpy.array jax.numpy.average jax.numpy.concatenate jax.numpy.vstack jax.numpy.hstack
        jax.numpy.transpose jax.numpy.swapaxes jax.numpy.ravel jax.numpy.cumsum jax.numpy.cumprod
        jax.numpy.power jax.numpy.arcsin jax.numpy.arccos jax.numpy.arctan jax.numpy.arctan2
        jax.numpy.absolute jax.numpy.invert jax.numpy.unique jax.numpy.bincount jax.numpy.cov
        jax.numpy.digitize jax.numpy.inner jax.numpy.vdot jax.numpy.diag jax.numpy.split jax.numpy.convolve
        jax.numpy.linalg.norm jax.jit jax.jacrev jax.jacfwd jax.lax jax.device_put jax.random.PRNGKey
        jax.random.normal jax.random.uniform jax.random.randint jax.random.permutation
        jax.custom_vjp jax.custom_jvp jax.pmap jax.lax.psum jax.devices jax.eval_shape jax.make_jaxpr
        jax.lax.fori_loop jax.lax.switch jax.numpy.allclose
    """,
    "paddle": """
        paddle.cast paddle.unsqueeze paddle.transpose paddle.flatten paddle.gather
        paddle.gather_nd paddle.index_select paddle.masked_select paddle.scatter paddle.topk paddle.split
        paddle.chunk paddle.unbind paddle.cumsum paddle.mm paddle.bmm paddle.norm paddle.rand paddle.randn
        paddle.randint paddle.randperm paddle.no_grad paddle.nn.Linear paddle.nn.functional.linear
        paddle.nn.functional.dropout paddle.nn.CrossEntropyLoss paddle.nn.MSELoss paddle.io.Dataset
        paddle.io.DataLoader
    """,
}
"""The names that each framework has, of those that Penstock answers with another."""

OLDER = {
    "default_rng", "mae", "matrix", "matrix_inverse", "mse", "put", "random_normal", "random_uniform",
    "set_seed", "shuffle", "trapz", "tree_map", "view",
}  # fmt: skip
"""Names that are answered and stand in no table: older ones, those of NumPy alone, and methods."""

SPELLINGS = {"pytorch": "torch", "keras": "tensorflow", "jax": "jax"}
"""The framework of the recorded spellings, for each page."""


def answer(name: str) -> str:
    """Returns what to write in place of a dotted name of a framework: "" if there is nothing to say."""
    if name.startswith("jax.random.") and hasattr(ps.random, name.rpartition(".")[2]):
        return "ps." + name.removeprefix("jax.")
    return NAMES.get(name.rpartition(".")[2], "")


def as_code(text: str) -> str:
    """Returns a sentence with its expressions marked as code."""
    return re.sub(
        r"(?<![\w`])(?:ps\.[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|x\[[^\]]*\]|x\.at\[.*\))",
        r"`\g<0>`",
        text,
    )


def table(framework: str) -> str:
    """Returns the table of names that are answered with another."""
    rows = [f"| `{name}` | {as_code(answer(name))} |" for name in THEIRS[framework].split()]
    return "\n".join(["| there | in Penstock |", "| --- | --- |", *rows])


def spellings(framework: str) -> str:
    """Returns the table of functions whose values and derivatives were recorded in a framework."""
    rows = []
    for ours, (_, theirs) in CASES.items():
        spelled = theirs.get(SPELLINGS[framework])
        if spelled and "\n" not in spelled + ours and len(spelled) + len(ours) < 140:
            rows.append(f"| `{spelled}` | `{ours}` |".replace("||", "\\|\\|"))
    return "\n".join(["| there | in Penstock |", "| --- | --- |", *rows])


def methods() -> str:
    """Returns the table of methods that tensors do not have, with what to write."""
    rows = [f"| `x.{name}` | {as_code(text)} |" for name, text in ATTRIBUTES.items()]
    return "\n".join(["| method or attribute | in Penstock |", "| --- | --- |", *rows])


def filled(text: str) -> str:
    """Returns a page with its lines `<!-- names: pytorch -->` replaced by tables."""

    def made(found: re.Match[str]) -> str:
        kind, framework = found.groups()
        return {"names": table, "spellings": spellings, "methods": lambda _: methods()}[kind](framework)

    return re.sub(r"(?m)^<!-- (names|spellings|methods): (\w+) -->$", made, text)
