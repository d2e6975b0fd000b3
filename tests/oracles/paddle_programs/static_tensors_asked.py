"""What the tensors, operations and blocks of static programs are asked; parameters turned around, and trained."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
paddle.enable_static()
main, startup = paddle.static.Program(), paddle.static.Program()
start = paddle.nn.initializer.Assign(np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]], "float32"))


def refused(call):
    try:
        print("took it:", call())
    except Exception as error:
        kind = next(one for one in type(error).__mro__ if one.__module__ == "builtins")
        print(kind.__name__, str(error).splitlines()[0])


with paddle.static.program_guard(main, startup):
    x = paddle.static.data("x", [2, 3])
    w = paddle.create_parameter([3, 2], "float32", default_initializer=start)
    y = paddle.matmul(x, w)
    alone = paddle.tanh(x)
    for one in (x, w, y):
        print(one.trainable, one.need_clip, one.is_distributed, one.optimize_attr, one.regularizer, one.do_model_average)
        print(one.is_cuda, one.itemsize, one.requires_grad, one.has_name, one.is_parameter, one.persistable)
        print(one.initialized(), one.index(), one.is_combine(), one.is_dense_tensor_type(), one.is_dist())
        print(one.is_dense_tensor_array_type(), one.is_selected_row_type(), one.is_sparse_coo_tensor_type())
        print(one.is_sparse_csr_tensor_type(), one.is_dist_dense_tensor_type(), one.placements, one.process_mesh)
        print(one.is_same(one), one.is_same(alone), one.hash() == one.hash(), one.id == alone.id)
        print(one.get_defining_op().name(), [user.name() for user in one.all_used_ops()])
        print(one.use_empty(), one.has_one_use(), one.element_size())
    print(x.place, x.device, x.type(), y.type())
    made = y.get_defining_op()
    print(made.num_operands(), made.num_results(), made.operands_source()[0].name, made.result(0).is_same(y))
    print(made.operand_source(1).is_parameter, made.results()[0].is_same(y), made.op_role, made.chunk_id)
    block = main.global_block()
    print(len(main.blocks), main.parameters_num(), main.num_ops() == len(block.ops), block.empty())
    print(block.args(), block.kwargs(), block.parent_block, list(main.get_all_parameter_values()) == [w.name])
    print(main.get_parameter_value_by_name(w.name).is_same(w), main.get_output_value_by_name("x").is_same(x))
    print(block.back().name(), y.block.program is not None)
    alone.requires_grad = True
    print(alone.stop_gradient)
    for word in ("normal_", "uniform_", "bernoulli_", "cauchy_", "log_normal_"):
        refused(getattr(alone, word))
    refused(lambda: alone.geometric_(0.5))
    refused(lambda: y.mean().mT)
    drawn = [alone.exponential_(), (x * 2.0).random_()]
    # Parameters turned around are read in each run, and trained.
    back = paddle.matmul(y, w.T) + paddle.matmul(y, w.mT)
    counted = w.size + y.size
    loss = back.square().mean() * w.size.astype("float32")
    paddle.optimizer.SGD(0.001).minimize(loss)

executor = paddle.static.Executor()
print(executor.place, executor.op_role_key, executor.flush())
executor.run(startup)
feed = {"x": np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 1.0]], "float32")}
for _ in range(2):
    values = executor.run(main, feed, [loss, back, counted, w])
    print(round(float(values[0]), 4), np.round(values[1], 3).tolist(), int(values[2]))
    print(np.round(values[3], 4).tolist())
values = executor.run(main, feed, drawn)
print([one.shape for one in values], bool((values[0] > 0).all()), bool((values[1] == np.round(values[1])).all()))
paddle.disable_static()
