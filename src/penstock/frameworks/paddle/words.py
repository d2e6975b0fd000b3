"""The words of PaddlePaddle, for programs that run in it."""

from __future__ import annotations

from penstock.flow.words import PaddleWords


class PaddleProgramWords(PaddleWords):
    """PaddlePaddle's vocabulary; only the flag of a tensor decides what is recorded there."""

    plain = "plain tensor"
    flag_decides = True
    idle_barriers = False

    def group(self, path: str) -> str:
        return path.split(self.separator)[0]

    def follow(self) -> str:
        return (
            "Copy the statistics too: copy.set_state_dict(model.state_dict()) has both, and "
            "copy.parameters() lists them with the weights."
        )

    def release(self, names: str, made: object) -> str:
        where = f" made at {made}" if made is not None else ""
        return (
            f"Give the optimizer{where} [p for p in layer.parameters() if not p.stop_gradient], and freeze "
            "before the first backward pass."
        )


PADDLE = PaddleProgramWords()

__all__ = ["PADDLE", "PaddleProgramWords"]
