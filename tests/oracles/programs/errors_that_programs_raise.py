import tensorflow as tf
E = tf.errors
for name in ("InvalidArgumentError", "OutOfRangeError", "NotFoundError", "AbortedError", "UnknownError", "CancelledError", "DataLossError", "ResourceExhaustedError", "InternalError", "UnavailableError", "DeadlineExceededError", "FailedPreconditionError", "PermissionDeniedError", "UnimplementedError", "AlreadyExistsError"):
    kind = getattr(E, name)
    try:
        raise kind(None, None, "no more rows")
    except E.OpError as error:
        print(name, str(error), error.message, error.op, error.node_def, error.error_code)
try:
    raise E.InvalidArgumentError(node_def=None, op=None, message="by name")
except E.InvalidArgumentError as error:
    print(error)
try:
    tf.zeros([2, 3]) @ tf.zeros([2, 3])
except E.InvalidArgumentError as error:
    print("size-incompatible" in error.message, error.op, error.error_code)
def rows():
    for i in range(3):
        yield i
    raise E.OutOfRangeError(None, None, "end")
try:
    for r in rows():
        print(r)
except E.OutOfRangeError:
    print("caught")
