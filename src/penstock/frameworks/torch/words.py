"""The words of PyTorch."""

from __future__ import annotations

from penstock.flow.words import Words


class TorchWords(Words):
    """PyTorch's vocabulary, and the code that its users type."""

    variable = "parameter"
    plain = "plain tensor"
    barrier = "detach"
    smooth_choice = "torch.nn.functional.cross_entropy(logits, labels)"
    bounded = "torch.clamp(x, min=1e-7)"
    clear_whole = "Write zero_grad(set_to_none=True), or leave them out of the optimizer."
    reading = "read while autograd records"
    setter = "copy_"
    wanted = "p.requires_grad"
    adders = False
    flag_decides = True
    holder = "module"
    freeze_layer = "Set it on the parameters: for p in module.parameters(): p.requires_grad = False."
    idle_barriers = False
    separator = "."
    unwatched = "requires_grad is False"
    late_watch = "computed before requires_grad was set"
    unrecorded = "while autograd was not recording"

    def around(self, function: str, inner: str) -> str:
        return f"{inner} + (torch.{function}({inner}) - {inner}).detach()"

    def keep_from(self) -> str:
        return "leave its parameters out of the optimizer that steps on it"

    def frozen(self, flag: str) -> str:
        return flag or "requires_grad is False"

    def also_frozen(self, name: str) -> str:
        return f"Also, {name} has requires_grad False."

    def asked_of_frozen(self, names: str, several: bool, flag: str, created: str) -> str:
        kind = "them" if several else "it"
        made = created and f" (created{created})"
        return (
            f"A gradient was asked for {names}, whose {flag}{made}. Autograd records nothing for {kind}, so "
            "there is none."
        )

    def unfreeze(self, name: str) -> str:
        return f"Call requires_grad_() on {name} before computing with it."

    def watch(self, name: str) -> str:
        return f"Call requires_grad_() on {name} before computing with it."

    def watch_before(self, name: str, where: object) -> str:
        return f"Call requires_grad_() on {name} before {where}."

    def derivative(self, function: str) -> str:
        return f"Give {function} a derivative: write it as a torch.autograd.Function with a backward."

    def create_smooth(self, example: str) -> str:
        return f"Create it with a floating-point value{example}."

    def again(self, where: object) -> str:
        return self.again_standing(where)

    def record(self, where: object) -> str:
        return f"Move the computation at {where} out of torch.no_grad."

    def release(self, names: str, made: object) -> str:
        where = f" made at {made}" if made is not None else ""
        return (
            f"Give the optimizer{where} [p for p in model.parameters() if p.requires_grad], or set .grad of "
            "the frozen parameters to None."
        )

    def inference(self) -> str:
        return "Call eval() on the frozen layers, after each train() of the model."

    def measure(self, switched: object) -> str:
        if switched is not None:
            return f"Leave out the train() at {switched}: call eval() before measuring, train() afterwards."
        return "Call eval() on the model before measuring, and train() afterwards."

    def keep_gradient(self, name: str) -> str:
        return f"Call {name}.retain_grad() before backward()."

    def leave_none(self, asked: object) -> str:
        return (
            f"Where nothing is to be trained, call no backward() at {asked} and compute under no_grad; or "
            "call zero_grad() before the backward pass of each update."
        )

    def unscale(self, site: object) -> str:
        return f"Call scaler.unscale_(optimizer) before {site}."

    def back(self, switched: object) -> str:
        return f"Call train() on the model after the evaluation that begins with the eval() at {switched}."

    def flag_from(self) -> str:
        return "copy.requires_grad_(source.requires_grad)"

    def follow(self) -> str:
        return (
            "Copy the buffers too: for mine, theirs in zip(copy.buffers(), model.buffers()): "
            "mine.copy_(theirs); or load_state_dict(), which has both."
        )

    def unread(self, name: str, target: str) -> str:
        return f"Compute {target} with {name} in forward(), or delete the layer that has it."

    def lost(self, name: str, target: str) -> str:
        return (
            f"Let something computed from {name} take part in {target}; or freeze it by "
            "requires_grad_(False), or "
            "delete its layer."
        )

    def rebound(self, name: str, value: str) -> str:
        return f"with torch.no_grad(): {name}.copy_({value})"


TORCH = TorchWords()

__all__ = ["TORCH", "TorchWords"]
