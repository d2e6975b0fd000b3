"""Layers and programs that are saved with their calls, loaded, trained on, and run by predictors."""

import os
import tempfile
import warnings

import numpy as np
import paddle

# Paddle warns of its own operations, and of what else a file may hold.
warnings.simplefilter("ignore", UserWarning)
paddle.seed(5)
folder = tempfile.mkdtemp()


class Block(paddle.nn.Layer):
    def __init__(self, width):
        super().__init__()
        self.linear = paddle.nn.Linear(width, width)
        self.norm = paddle.nn.BatchNorm1D(width)
        self.scale = self.create_parameter([width], default_initializer=paddle.nn.initializer.Constant(1.5))

    def forward(self, x):
        return paddle.nn.functional.relu(self.norm(self.linear(x))) * self.scale + x[:, -1:]


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = paddle.nn.LayerList([Block(4) for _ in range(2)])
        self.drop = paddle.nn.Dropout(0.5)
        self.head = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.Softmax())
        self.register_buffer("shift", paddle.to_tensor([0.5, 1.0, 1.5, 2.0]))

    def forward(self, x, others=None):
        for block in self.blocks:
            x = block(x - self.shift)
        hidden = self.drop(x)
        return self.head(hidden), {"hidden": hidden.reshape([-1, 2, 2]).transpose([0, 2, 1])}


net = Net()
random = np.random.RandomState(1)
rows = random.rand(5, 4).astype("float32")
net.train()
net(paddle.to_tensor(rows))
path = os.path.join(folder, "net", "model")
paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 4], "float32", "x")])
print(sorted(os.listdir(os.path.dirname(path)))[:2])
net.eval()
wanted = net(paddle.to_tensor(rows))
loaded = paddle.jit.load(path)
print(isinstance(loaded, paddle.nn.Layer), type(loaded).__name__, loaded.training)
found = loaded(paddle.to_tensor(rows))
print(type(found).__name__, len(found))
print(np.allclose(found[0].numpy(), wanted[0].numpy()), np.allclose(found[1].numpy(), wanted[1]["hidden"].numpy()))
print(wanted[0].numpy().round(5).tolist())
print(sorted(one.shape for one in loaded.parameters()), len(loaded.state_dict()))

optimizer = paddle.optimizer.SGD(0.1, parameters=loaded.parameters())
for step in range(3):
    probabilities, _ = loaded(paddle.to_tensor(rows[: 3 + step]))
    loss = -paddle.log(probabilities[:, 1]).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(round(loss.item(), 5))

config = paddle.inference.Config(path + ".json", path + ".pdiparams")
config.disable_gpu()
config.switch_ir_optim(True)
config.set_cpu_math_library_num_threads(1)
predictor = paddle.inference.create_predictor(config)
print(predictor.get_input_names(), len(predictor.get_output_names()))
handle = predictor.get_input_handle("x")
for count in (5, 2):
    handle.reshape([count, 4])
    handle.copy_from_cpu(rows[:count])
    predictor.run()
    outputs = [predictor.get_output_handle(name) for name in predictor.get_output_names()]
    print([one.shape() for one in outputs], outputs[0].copy_to_cpu().round(5).tolist())


@paddle.jit.to_static(input_spec=[paddle.static.InputSpec([2, 3], "float32"), paddle.static.InputSpec([3], "float32")])
def combined(one, other):
    return paddle.matmul(one, other) + one.sum(axis=1) ** 2


paddle.jit.save(combined, os.path.join(folder, "function"))
again = paddle.jit.load(os.path.join(folder, "function"))
print(again(paddle.ones([2, 3]), paddle.to_tensor([1.0, 2.0, 3.0])).tolist())
for wrong in (3, "text"):
    try:
        paddle.jit.save(wrong, path)
    except TypeError as error:
        print("refused", wrong)
try:
    paddle.jit.load(os.path.join(folder, "nowhere"))
except ValueError as error:
    print("not there")

paddle.enable_static()
program, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(program, startup):
    x = paddle.static.data("x", [None, 4])
    label = paddle.static.data("label", [None, 1])
    hidden = paddle.static.nn.fc(x, 3, activation="tanh")
    result = paddle.static.nn.fc(hidden, 1)
    chosen = paddle.static.nn.cond(result.sum() > 100.0, lambda: result * 2.0, lambda: result - 1.0)
    loss = paddle.nn.functional.mse_loss(result, label)
    paddle.optimizer.Adam(0.05).minimize(loss)
executor = paddle.static.Executor()
executor.run(startup)
for step in range(3):
    executor.run(program, {"x": rows, "label": rows[:, :1]}, [loss])
prefix = os.path.join(folder, "static")
paddle.static.save_inference_model(prefix, [x], [result, chosen], executor, program=program)
saved, names, targets = paddle.static.load_inference_model(prefix, executor)
print(names, len(targets))
found = executor.run(saved, {names[0]: rows}, targets)
print([one.round(5).tolist() for one in found])
predictor = paddle.inference.create_predictor(paddle.inference.Config(prefix + ".json", prefix + ".pdiparams"))
predictor.get_input_handle("x").copy_from_cpu(rows)
predictor.run()
for name in predictor.get_output_names():
    print(predictor.get_output_handle(name).copy_to_cpu().round(5).tolist())
paddle.disable_static()
