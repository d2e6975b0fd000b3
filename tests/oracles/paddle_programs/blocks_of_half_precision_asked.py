"""Whether operations choose their dtype, and which: on a processor auto_cast changes neither."""

import paddle

print(paddle.is_autocast_enabled(), paddle.amp.is_autocast_enabled("gpu"), paddle.get_autocast_dtype())
for options in ({}, {"dtype": "bfloat16"}, {"level": "O2"}, {"enable": False}, {"level": "O0"}):
    with paddle.amp.auto_cast(**options):
        print(options, paddle.is_autocast_enabled(), paddle.get_autocast_dtype("cpu"))
        print(paddle.get_autocast_cpu_dtype(), paddle.amp.get_autocast_gpu_dtype(device_type="gpu"))
