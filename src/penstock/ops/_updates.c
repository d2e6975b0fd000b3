/* Adam's update in one pass over memory, as a foreign function of XLA: docs/decisions/0055.

   tiers/one_pass.py says which operations it stands for. It performs them in their order and rounds each
   result, as NumPy does, so it is compiled without contraction of products and sums. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include "_xla.h"

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* A result may lie in the memory of its own operand, and in no other. */
#ifdef __clang__
#define EACH_BY_ITSELF _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_BY_ITSELF _Pragma("GCC ivdep")
#endif

/* The operands of a call: the value, the mean, the mean square and the gradient, then numbers. The results are the
   first three after the update, which may lie in the same memory. */
enum { VALUE, MEAN, SQUARE, GRADIENT, NUMBERS };
enum { NEW_MEAN, NEW_SQUARE, RATE, FLOOR, ROOT, DECAY, DECAY_RATE };

typedef struct {
    const float *value, *mean, *square, *gradient;
    float *new_value, *new_mean, *new_square;
    float number[7];
    int outside, decays, parts;
    int64_t count;
} Update;

/* `outside`: the root of the mean square is divided before the floor is added. `decays`: the value first loses
   a part of itself. Each combination is a loop of its own. */
#define LOOP(outside, decays)                                                                              \
    EACH_BY_ITSELF                                                                                         \
    for (int64_t i = first; i < last; i++) {                                                               \
        float by = gradient[i], old = value[i];                                                            \
        float mean_now = mean[i] + (by - mean[i]) * n[NEW_MEAN];                                           \
        float square_now = square[i] + (by * by - square[i]) * n[NEW_SQUARE];                              \
        float root = sqrtf(square_now);                                                                    \
        float divisor = ((outside) ? root / n[ROOT] : root) + n[FLOOR];                                    \
        float base = (decays) ? old - old * n[DECAY] * n[DECAY_RATE] : old;                                \
        new_mean[i] = mean_now;                                                                            \
        new_square[i] = square_now;                                                                        \
        new_value[i] = base - mean_now * n[RATE] / divisor;                                                \
    }

FOR_EACH_PROCESSOR
static void update(const Update *u, int64_t first, int64_t last)
{
    const float *value = u->value, *mean = u->mean, *square = u->square, *gradient = u->gradient;
    float *new_value = u->new_value, *new_mean = u->new_mean, *new_square = u->new_square;
    float n[7];
    for (int i = 0; i < 7; i++)
        n[i] = u->number[i];
    if (u->outside && u->decays)
        LOOP(1, 1)
    else if (u->outside)
        LOOP(1, 0)
    else if (u->decays)
        LOOP(0, 1)
    else
        LOOP(0, 0)
}

enum { ENOUGH = 1 << 15, MOST = 64 };

static int part(void *work, int number)
{
    const Update *u = work;
    /* Whole cache lines for each thread. */
    int64_t each = (u->count / u->parts + 15) / 16 * 16, first = each * number;
    int64_t last = number == u->parts - 1 || first + each > u->count ? u->count : first + each;
    if (first < last)
        update(u, first, last);
    return 1;
}

static void *handler(Frame *frame)
{
    if (told_version(frame))
        return NULL;
    const Array *how = frame->attributes.count == 1 ? frame->attributes.items[0] : NULL;
    if (!how || how->count != 2 || frame->results.count != 3)
        return failed(frame, "an update was called with other operands than it has");
    Update u = {.outside = (int)how->data[0], .decays = (int)how->data[1], .count = 1};
    if (frame->arguments.count != NUMBERS + 4 + u.outside + 2 * u.decays)
        return failed(frame, "an update was called with other operands than it has");
    const Buffer *shape = frame->arguments.items[VALUE];
    for (int64_t i = 0; i < shape->rank; i++)
        u.count *= shape->dims[i];
    u.value = data_of(&frame->arguments, VALUE);
    u.mean = data_of(&frame->arguments, MEAN);
    u.square = data_of(&frame->arguments, SQUARE);
    u.gradient = data_of(&frame->arguments, GRADIENT);
    u.new_value = data_of(&frame->results, VALUE);
    u.new_mean = data_of(&frame->results, MEAN);
    u.new_square = data_of(&frame->results, SQUARE);
    int64_t at = NUMBERS;
    for (int i = 0; i < 7; i++)
        if ((i != ROOT || u.outside) && (i < DECAY || u.decays))
            u.number[i] = *(const float *)data_of(&frame->arguments, at++);
    int64_t parts = u.count / ENOUGH + 1;
    u.parts = threads_of(frame, parts < MOST ? (int)parts : MOST);
    return in_parts(frame, u.parts, part, &u) ? NULL : failed(frame, "there is no memory for an update");
}

static PyObject *function(PyObject *module, PyObject *nothing)
{
    return PyCapsule_New((void *)handler, CAPSULE, NULL);
}

static PyMethodDef functions[] = {
    {"function", function, METH_NOARGS, "Returns the function that XLA calls."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "penstock.ops._updates", "Updates of optimizers in one pass.", -1, functions,
};

PyMODINIT_FUNC PyInit__updates(void)
{
    return PyModule_Create(&definition);
}
