"""Random programs of views and writes in place, with reads, gradients and updates between them."""

from __future__ import annotations

import math

import numpy as np

from random_programs import Writer

SHAPES = [(6,), (2, 3), (3, 2), (2, 2, 3), (4,), (4, 3), (1, 4), (12,), (3, 1, 2)]
FLAT = {"flatten()", "reshape([-1])"}


class ViewWriter(Writer):
    """Draws programs; `arrays` has the tensors by name, `roots` what they show, `trained` the parameters."""

    def __init__(self, seed: int, trains: bool) -> None:
        super().__init__(seed)
        self.trains, self.lines, self.count = trains, [], 0
        self.arrays: dict[str, np.ndarray] = {}
        self.roots: dict[str, str] = {}
        self.trained: list[str] = []
        # Paddle lets some views take the shape of their base too: no shape is changed in place there.
        self.viewed: set[str] = set()

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def pick(self) -> str:
        return self.one(*self.arrays)

    def new(self) -> None:
        shape, name = self.one(*SHAPES), self.name()
        values = f"np.arange({math.prod(shape)}, dtype='float32').reshape({list(shape)})"
        if self.trains and self.chance(0.5):
            line = f"paddle.to_tensor({values} / 4 + {self.one(1, 5, 9)}, stop_gradient=False)"
            self.trained.append(name)
        else:
            line = self.one(
                f"paddle.to_tensor({values} + {self.one(0, 4, 9)})",
                f"paddle.to_tensor({values}) * {self.one(2.0, 0.5)} + {self.one(1, 3)}",
                f"paddle.full({list(shape)}, {self.one(2.0, 8.0)})",
            )
        self.lines.append(f"{name} = {line}")
        self.arrays[name], self.roots[name] = np.zeros(shape), name

    def view(self) -> None:
        base, name = self.pick(), self.name()
        a = self.arrays[base]
        rank = a.ndim
        choices = [
            ("detach()", a), ("data", a), ("clone()", a), ("flatten()", a.reshape(-1)), ("T", a.T),
            ("unsqueeze(0)", a[None]), ("squeeze()", a.squeeze()), ("reshape([-1])", a.reshape(-1)),
            (f"reshape([-1, {math.gcd(a.size, 2)}])", a.reshape(-1, math.gcd(a.size, 2))),
        ]  # fmt: skip
        if rank:
            cut = self.random.randrange(a.shape[0])
            keys = ["0", "-1", ":", "...", "None", "::2", "::-1", f"{cut}:", f":{cut + 1}", "..., 0", "[0]"]
            choices += [(f"[{key}]", eval(f"a[{key}]", {"a": a})) for key in keys]
            choices += [
                ("flip(0)", a), ("unbind(0)[0]", a[0]),
                ("split([1, -1])[0]" if a.shape[0] > 1 else "chunk(1)[0]", a[:1]),
            ]  # fmt: skip
            if not self.trains:
                # In Paddle its gradient needs what it was computed from.
                choices.append((f"unfold({rank - 1}, 1, 1)", a[..., None]))
        if rank > 1:
            choices += [
                ("diagonal()", np.diagonal(a)), ("swapaxes(0, -1)", a.swapaxes(0, -1)),
                ("flatten(0, 1)", a.reshape(-1, *a.shape[2:])), ("[:, 0]", a[:, 0]),
                (f"transpose({[*range(1, rank), 0]})", np.moveaxis(a, 0, -1)), ("[:, ::-1]", a),
            ]  # fmt: skip
        text, made = self.one(*choices)
        if made.size and made.ndim < 5 and not (text in FLAT and not rank):
            self.lines.append(f"{name} = {base}{'' if text[0] == '[' else '.'}{text}")
            self.arrays[name], self.roots[name] = np.zeros(made.shape), self.roots[base]
            self.viewed |= {name, base}

    def write(self) -> None:
        name = self.pick()
        a, c = self.arrays[name], self.random.randint(2, 5)
        own = self.roots[name]
        others = [n for n, b in self.arrays.items() if b.shape == a.shape and self.roots[n] != own]
        lines = [
            f"{name}.scale_({c}.0)", f"{name}.add_(paddle.full({list(a.shape)}, {c}.0))", f"{name}.zero_()",
            f"{name}.subtract_(paddle.to_tensor({c}.0))", f"{name}.fill_({c}.0)", f"{name}.clip_(0.5, {c}.0)",
            f"{name}[...] = {c}.0", f"{name}.set_value(paddle.full({list(a.shape)}, {c}.0))",
            f"{name}.masked_fill_({name} > {c}, 0.5)",
        ]  # fmt: skip
        if a.ndim:
            lines += [f"{name}[0] = {c}.0", f"{name}[{name} > {c}] = -{c}.0", f"{name}[..., 0:1] = {c}.0"]
        if others:
            other = self.one(*others)
            lines += [f"{name}.multiply_({other})", f"paddle.assign({other} * 1.0, {name})"]
            lines += [f"{name}.set_value({other})", f"{name}.copy_({other}, True)"]
        line = self.one(*lines)
        if name not in self.viewed and name not in self.trained and self.chance(0.2):
            line, self.arrays[name] = f"{name}.unsqueeze_(0)", a[None]
        elif self.trains and (own in self.trained or self.chance(0.8)):
            line = f"with paddle.no_grad():\n    {line}"
        self.lines.append(line)

    def read(self) -> None:
        name = self.pick()
        how = self.one(f"{name}", f"float({name}.sum())", f"str({name}.shape), bool({name}.sum() > 20)")
        self.lines.append(f"see({how})")

    def use(self) -> None:
        trained = [name for name in self.trained if name in self.arrays]
        name = self.pick()
        if self.chance(0.3) and len(self.arrays) > 3:
            self.lines.append(f"del {name}")
            del self.arrays[name]
        elif trained and self.chance(0.5):
            self.lines += [
                f"optimizer = paddle.optimizer.SGD(0.5, parameters=[{trained[0]}])",
                f"({trained[0]} * 1.0).sum().backward()", "optimizer.step()", "optimizer.clear_grad()",
            ]  # fmt: skip
        else:
            made = self.name()
            self.lines.append(f"{made} = {name} * 2.0")
            self.arrays[made], self.roots[made] = self.arrays[name], made

    def program(self) -> list[str]:
        for _ in range(self.random.randint(1, 3)):
            self.new()
        for _ in range(self.random.randint(8, 22)):
            kinds = [self.new, self.view, self.write, self.read, self.use]
            self.random.choices(kinds, [1, 6, 5, 5, 2])[0]()
        self.lines.append(f"see({', '.join(self.arrays)})")
        trained = [name for name in self.trained if name in self.arrays]
        if trained:
            self.lines.append(f"(({self.pick()} * 3.0).sum() + ({trained[0]} * 2.0).sum()).backward()")
            self.lines.append(f"see({', '.join(f'{name}.grad' for name in trained)})")
        return self.lines
