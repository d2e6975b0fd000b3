"""A name that is not there."""

import paddle

paddle.no_such_function([1.0])
