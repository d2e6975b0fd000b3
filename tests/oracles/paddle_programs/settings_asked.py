"""The settings of a compiler and of a profiler, before and after they are set."""

import paddle

strategy = paddle.static.BuildStrategy()
words = [word for word in dir(strategy) if not word.startswith("_") and word != "ReduceStrategy"]
print({word: getattr(strategy, word) for word in words if word != "reduce_strategy"})
print(strategy.reduce_strategy == paddle.static.BuildStrategy.ReduceStrategy.AllReduce)
strategy.reduce_strategy = paddle.static.BuildStrategy.ReduceStrategy.Reduce
strategy.fuse_elewise_add_act_ops = True
strategy.memory_optimize = True
print(strategy.fuse_elewise_add_act_ops, strategy.memory_optimize, strategy.reduce_strategy.name)
print(paddle.static.BuildStrategy().fuse_elewise_add_act_ops)
told = []
profiler = paddle.profiler.Profiler(timer_only=True, scheduler=(1, 2), on_trace_ready=told.append, record_shapes=True)
print(profiler.timer_only, profiler.record_shapes, profiler.profile_memory, profiler.with_flops, profiler.emit_nvtx)
print([profiler.scheduler(step).name for step in range(4)], profiler.on_trace_ready == told.append)
