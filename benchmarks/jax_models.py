"""Real models in JAX with Flax and Optax, as their users write them: `python jax_models.py MODEL jit`."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from model_harness import Transformer, main, named


class TransformerBlock(nn.Module):
    heads: int

    @nn.compact
    def __call__(self, x):
        width = x.shape[-1]
        mask = nn.make_causal_mask(jnp.zeros(x.shape[:2]))
        h = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads)(h, h, mask=mask)
        return x + nn.Dense(width)(nn.gelu(nn.Dense(4 * width)(nn.LayerNorm()(x)), approximate=False))


class LanguageModel(nn.Module):
    size: Transformer

    @nn.compact
    def __call__(self, ids, train):
        size = self.size
        x = nn.Embed(size.vocabulary, size.width)(ids)
        x = x + nn.Embed(size.tokens, size.width)(jnp.arange(size.tokens))
        for _ in range(size.blocks):
            x = TransformerBlock(size.heads)(x)
        return nn.Dense(size.vocabulary)(nn.LayerNorm()(x)).reshape(-1, size.vocabulary)


class ResidualBlock(nn.Module):
    width: int
    stride: int

    @nn.compact
    def __call__(self, x, train):
        def norm():
            return nn.BatchNorm(use_running_average=not train)

        h = nn.relu(norm()(nn.Conv(self.width, (3, 3), self.stride, use_bias=False)(x)))
        h = norm()(nn.Conv(self.width, (3, 3), use_bias=False)(h))
        if self.stride != 1 or x.shape[-1] != self.width:
            x = nn.Conv(self.width, (1, 1), self.stride, use_bias=False)(x)
        return nn.relu(h + x)


class ResNet18(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.BatchNorm(use_running_average=not train)(nn.Conv(64, (3, 3), use_bias=False)(x)))
        for width, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
            x = ResidualBlock(width, stride)(x, train)
        return nn.Dense(10)(x.mean((1, 2)))


class SequenceClassifier(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        return nn.Dense(10)(nn.RNN(nn.OptimizedLSTMCell(128))(x)[:, -1])


def gpt(size):
    def build(draw):
        ids = draw.integers(0, size.vocabulary, (size.batch, size.tokens + 1))
        return LanguageModel(size), ids[:, :-1], ids[:, 1:].reshape(-1)

    return build


def resnet18(draw):
    return ResNet18(), draw.standard_normal((32, 32, 32, 3)).astype(np.float32), draw.integers(0, 10, 32)


def lstm(steps):
    return lambda draw: (
        SequenceClassifier(),
        draw.standard_normal((32, steps, 32)).astype(np.float32),
        draw.integers(0, 10, 32),
    )


def trained(build):
    def make():
        model, x, labels = build(np.random.default_rng(0))
        x, labels = jnp.asarray(x), jnp.asarray(labels)
        kept = dict(model.init(jax.random.key(0), x, True))
        parameters = kept.pop("params")
        optimizer = optax.adam(1e-3)
        moments = optimizer.init(parameters)

        def update(parameters, kept, moments):
            def loss(parameters):
                logits, moved = model.apply({"params": parameters, **kept}, x, True, mutable=list(kept))
                return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), moved

            gradients, moved = jax.grad(loss, has_aux=True)(parameters)
            changes, moments_now = optimizer.update(gradients, moments, parameters)
            return optax.apply_updates(parameters, changes), moved, moments_now

        compiled = jax.jit(update, donate_argnums=(0, 1, 2))
        held = [parameters, kept, moments]

        def step():
            held[:] = compiled(*held)
            jax.block_until_ready(held[0])

        return step

    return make


MODELS = named(gpt, resnet18, lstm)
main({name: {"jit": trained(build)} for name, build in MODELS.items()})
