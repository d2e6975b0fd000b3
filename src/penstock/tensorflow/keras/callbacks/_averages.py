"""Callbacks that put the averages of weights into a model for tests, and that send numbers to a server."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
import warnings
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.state.variable import read
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras.callbacks._callback import Callback
from penstock.trace.source_site import here


@named("tf.keras.callbacks.SwapEMAWeights")
class SwapEMAWeights(Callback):
    """Exchanges the weights of a model and their moving averages while it is tested or predicts.

    With `swap_on_epoch`, also at the end of each epoch, so that callbacks which save the model save the
    averages. The optimizer needs `use_ema=True`.
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._ema_weights_in_model = False

    def _pairs(self) -> list[Any]:
        optimizer = getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
        if not optimizer.use_ema:
            raise ArgumentError(
                "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. Received: "
                f"use_ema={optimizer.use_ema}",
                remedy=f"Write {type(optimizer).__name__}(..., use_ema=True).",
                site=here(),
            )
        return [(one.variable, one.cells["average"]) for one in optimizer._updates._with_averages()]

    def _swap(self, swapped: bool) -> None:
        for variable, average in self._pairs():
            own, mean = read(variable) + 0.0, read(average) + 0.0
            variable.assign(mean)
            average.assign(own)
        self._ema_weights_in_model = swapped

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Puts the weights back."""
        if self.swap_on_epoch and self._ema_weights_in_model:
            self._swap(False)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Puts the averages in, and after the last epoch leaves them there."""
        if self.swap_on_epoch and not self._ema_weights_in_model:
            self._swap(True)
            if epoch == self.params["epochs"] - 1:
                for variable, average in self._pairs():
                    average.assign(read(variable))

    def on_test_begin(self, logs: Any = None) -> None:
        """Puts the averages in."""
        if not self._ema_weights_in_model:
            self._swap(True)

    def on_test_end(self, logs: Any = None) -> None:
        """Puts the weights back."""
        if self._ema_weights_in_model:
            self._swap(False)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Puts the averages in."""
        if not self._ema_weights_in_model:
            self._swap(True)

    def on_predict_end(self, logs: Any = None) -> None:
        """Leaves the averages in, as Keras does."""
        if not self._ema_weights_in_model:
            self._swap(False)


@named("tf.keras.callbacks.RemoteMonitor")
class RemoteMonitor(Callback):
    """Sends the number of each epoch and its logs to a server, as a field of a form or as JSON."""

    def __init__(
        self,
        root: str = f"http://localhost:{9000}",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: Any = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers, self.send_as_json = headers, send_as_json

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Sends the logs; warns where there is no server."""
        sent = {"epoch": epoch}
        for name, value in (logs or {}).items():
            sent[name] = value.item() if isinstance(value, np.ndarray | np.generic) else value
        if self.send_as_json:
            body, kind = json.dumps(sent), "application/json"
        else:
            body = urllib.parse.urlencode({self.field: json.dumps(sent)})
            kind = "application/x-www-form-urlencoded"
        request = urllib.request.Request(
            self.root + self.path, body.encode(), {"Content-Type": kind, **(self.headers or {})}
        )
        try:
            urllib.request.urlopen(request).close()
        except urllib.error.HTTPError:
            pass  # The server is there, and refused: Keras does not look at its answer.
        except (urllib.error.URLError, OSError):
            warnings.warn(f"Could not reach RemoteMonitor root server at {self.root}", stacklevel=2)
