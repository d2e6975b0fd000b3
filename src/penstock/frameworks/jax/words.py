"""The words of JAX."""

from __future__ import annotations

from penstock.flow.words import Words


class JaxWords(Words):
    """JAX's vocabulary, and the code that its users type."""

    variable = "parameter"
    holder = "module"
    maker = "jnp.asarray()"
    plain = "array"
    barrier = "jax.lax.stop_gradient"
    reading = "read in a differentiated function"
    wanted = "the mask"
    adders = False
    flag_decides = True
    idle_barriers = False
    rebinds = True
    unwatched = "it is not differentiated"
    late_watch = "computed before the function that is differentiated"
    unrecorded = "outside of the function that is differentiated"
    no_gradient = "all zeros"
    smooth_choice = "optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()"
    bounded = "jnp.maximum(x, 1e-7)"
    clear_whole = "Leave them out by optax.multi_transform with optax.set_to_zero()."
    freeze_layer = "Give its parameters optax.set_to_zero() in optax.multi_transform."

    def keep_from(self) -> str:
        return "differentiate with respect to the other parameters only"

    def around(self, function: str, inner: str) -> str:
        return f"{inner} + jax.lax.stop_gradient(jnp.{function}({inner}) - {inner})"

    def frozen(self, flag: str) -> str:
        return flag

    def also_frozen(self, name: str) -> str:
        return f"Also, {name} is frozen."

    def asked_of_frozen(self, names: str, several: bool, flag: str, created: str) -> str:
        return f"A gradient was asked for {names}: {flag}. It is zeros."

    def unfreeze(self, name: str) -> str:
        return f"Use {name} without jax.lax.stop_gradient, or leave it out of the differentiated argument."

    def watch(self, name: str) -> str:
        return f"Pass {name} as an argument that argnums names, and compute with the argument."

    def watch_before(self, name: str, where: object) -> str:
        return f"Compute what {where} computes inside the differentiated function, from {name}."

    def derivative(self, function: str) -> str:
        return f"Give {function} a derivative with jax.custom_jvp or jax.custom_vjp."

    def create_smooth(self, example: str) -> str:
        return f"Create it with a floating-point value{example}."

    def again(self, where: object) -> str:
        return (
            f"To differentiate a gradient, compute it ({where}) inside the function given to the outer "
            "jax.grad."
        )

    def record(self, where: object) -> str:
        return (
            f"Compute what {where} computes inside the function given to jax.grad, from the argument that "
            "is differentiated."
        )

    def release(self, names: str, made: object) -> str:
        return (
            "Keep its updates at zero: optax.multi_transform with optax.set_to_zero() for it, or "
            "optax.masked around the whole chain, weight decay included."
        )

    def keep_gradient(self, name: str) -> str:
        return f"Differentiate with respect to {name}: make it an argument of the function given to jax.grad."

    def leave_none(self, asked: object) -> str:
        return f"Compute no gradient at {asked} where nothing is to be trained."

    def unread(self, name: str, target: str) -> str:
        return f"Compute {target} with {name}, or leave {name} out of the differentiated argument."

    def lost(self, name: str, target: str) -> str:
        return (
            f"Let something computed from {name} take part in {target}, or leave {name} out of the "
            "differentiated argument."
        )

    def rebound(self, name: str, value: str) -> str:
        return f"{name} = {value}"


JAX = JaxWords()

__all__ = ["JAX", "JaxWords"]
