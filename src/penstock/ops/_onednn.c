/* Convolutions by oneDNN as a foreign function of XLA; onednn.py says when it is called: docs/decisions/0052.

   Nothing is linked: the library is opened by its path. So the few declarations of oneDNN 3 that are used here
   stand below, and onednn.py checks its version. The batch is cut into as many parts as XLA has threads, and
   each part runs in one thread of XLA, so that OpenMP starts none. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <string.h>
#include "_xla.h"

/* -- oneDNN ------------------------------------------------------------------------------------------- */

typedef void *Handle;
typedef struct { int argument; Handle memory; } Given;
enum { F32 = 3, ANY = 1, TRAINING = 64, CPU = 1, DIRECT = 1, USER = 1, INFO = 8, SCRATCH = 136 };
enum { SOURCE = 1, TARGET = 17, WEIGHTS = 33, SCRATCHPAD = 80, OF_TARGET = 145, OF_WEIGHTS = 161 };
enum { WEIGHTS_MD = 131, OF_WEIGHTS_MD = 132 };

static int (*new_engine)(Handle *, int, size_t), (*new_stream)(Handle *, Handle, unsigned);
static int (*new_attributes)(Handle *), (*set_scratchpad)(Handle, int), (*drop_attributes)(Handle);
static int (*describe)(Handle *, int, const int64_t *, int, const int64_t *);
static int (*describe_by_tag)(Handle *, int, const int64_t *, int, int);
static int (*same)(Handle, Handle), (*drop_description)(Handle), (*copied)(Handle *, Handle);
static size_t (*bytes_of)(Handle);
static Handle (*query_description)(Handle, int, int);
static int (*query)(Handle, int, int, void *), (*drop_primitive_description)(Handle);
static int (*forward)(Handle *, Handle, int, int, Handle, Handle, Handle, Handle, const int64_t *,
                      const int64_t *, const int64_t *, const int64_t *, Handle);
static int (*by_weights)(Handle *, Handle, int, Handle, Handle, Handle, Handle, const int64_t *,
                         const int64_t *, const int64_t *, const int64_t *, Handle, Handle);
static int (*reorder)(Handle *, Handle, Handle, Handle, Handle, Handle);
static int (*new_primitive)(Handle *, Handle), (*execute)(Handle, Handle, int, const Given *);
static int (*new_memory)(Handle *, Handle, Handle, void *), (*drop_memory)(Handle), (*drop_stream)(Handle);
static int (*limit_threads_of)(void);
static void (*limit_threads)(int);
static Handle engine;

static const struct { const char *name; void *place; } NAMES[] = {
    {"dnnl_engine_create", &new_engine}, {"dnnl_stream_create", &new_stream},
    {"dnnl_stream_destroy", &drop_stream}, {"dnnl_primitive_attr_create", &new_attributes},
    {"dnnl_primitive_attr_set_scratchpad_mode", &set_scratchpad},
    {"dnnl_primitive_attr_destroy", &drop_attributes}, {"dnnl_memory_desc_create_with_strides", &describe},
    {"dnnl_memory_desc_create_with_tag", &describe_by_tag}, {"dnnl_memory_desc_equal", &same},
    {"dnnl_memory_desc_destroy", &drop_description}, {"dnnl_memory_desc_clone", &copied},
    {"dnnl_memory_desc_get_size", &bytes_of}, {"dnnl_primitive_desc_query_md", &query_description},
    {"dnnl_primitive_desc_query", &query}, {"dnnl_primitive_desc_destroy", &drop_primitive_description},
    {"dnnl_convolution_forward_primitive_desc_create", &forward},
    {"dnnl_convolution_backward_weights_primitive_desc_create", &by_weights},
    {"dnnl_reorder_primitive_desc_create", &reorder}, {"dnnl_primitive_create", &new_primitive},
    {"dnnl_primitive_execute", &execute}, {"dnnl_memory_create", &new_memory},
    {"dnnl_memory_destroy", &drop_memory}, {"omp_get_max_threads", &limit_threads_of},
    {"omp_set_num_threads", &limit_threads},
};

/* -- primitives, made once for each shape ------------------------------------------------------------- */

/* What a call names: whether the kernel is computed, the shapes, strides, dilations less one, padding. */
enum { GRADIENT, N, H, W, C, KH, KW, F, OH, OW, STRIDES, DILATION = 12, BEFORE = 14, AFTER = 16, COUNT = 18 };

typedef struct Convolution {
    int64_t key[COUNT];
    Handle primitive, move, source, kernel, inner, target, scratch; /* inner: the kernel as oneDNN wants it */
    int gradient;
    size_t kernel_bytes, scratch_bytes;
    struct Convolution *next;
} Convolution;

static Convolution *made;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static int describe_plain(Handle *found, int64_t a, int64_t b, int64_t h, int64_t w, int kernel)
{
    int64_t dims[12] = {a, b, h, w}, image[12] = {h * w * b, 1, w * b, b}, filter[12] = {1, a, w * b * a, b * a};
    return describe(found, 4, dims, F32, kernel ? filter : image);
}

static int build(Convolution *o)
{
    const int64_t *k = o->key;
    int64_t dims[12] = {k[F], k[C], k[KH], k[KW]};
    Handle attributes = NULL, free_kernel = NULL, hint = NULL, found = NULL, moving = NULL;
    const char *how = "";
    o->gradient = (int)k[GRADIENT];
    int wrong = new_attributes(&attributes) || set_scratchpad(attributes, USER)
        || describe_plain(&o->source, k[N], k[C], k[H], k[W], 0)
        || describe_plain(&o->kernel, k[F], k[C], k[KH], k[KW], 1)
        || describe_plain(&o->target, k[N], k[F], k[OH], k[OW], 0)
        || describe_by_tag(&free_kernel, 4, dims, F32, ANY)
        || forward(&hint, engine, TRAINING, DIRECT, o->source, free_kernel, NULL, o->target, k + STRIDES,
                   k + DILATION, k + BEFORE, k + AFTER, attributes);
    if (!wrong && o->gradient)
        wrong = by_weights(&found, engine, DIRECT, o->source, free_kernel, NULL, o->target, k + STRIDES,
                           k + DILATION, k + BEFORE, k + AFTER, hint, attributes);
    else if (!wrong) {
        found = hint;
        hint = NULL;
    }
    wrong = wrong || query(found, INFO, 0, &how)
        /* Its other methods are slower than XLA's, or plain loops. */
        || (strncmp(how, "jit:", 4) && strncmp(how, "brg", 3))
        || copied(&o->inner, query_description(found, o->gradient ? OF_WEIGHTS_MD : WEIGHTS_MD, 0))
        || copied(&o->scratch, query_description(found, SCRATCH, 0))
        || new_primitive(&o->primitive, found);
    if (!wrong && !same(o->inner, o->kernel)) {
        wrong = (o->gradient ? reorder(&moving, o->inner, engine, o->kernel, engine, NULL)
                             : reorder(&moving, o->kernel, engine, o->inner, engine, NULL))
            || new_primitive(&o->move, moving);
    }
    if (!wrong) {
        o->kernel_bytes = (bytes_of(o->inner) + 63) / 64 * 64;
        o->scratch_bytes = (bytes_of(o->scratch) + 63) / 64 * 64;
    }
    if (attributes) drop_attributes(attributes);
    if (free_kernel) drop_description(free_kernel);
    if (hint) drop_primitive_description(hint);
    if (found) drop_primitive_description(found);
    if (moving) drop_primitive_description(moving);
    return !wrong;
}

/* Returns the convolution of a key, or NULL if oneDNN has no fast one. Those made are kept, as are failures. */
static Convolution *convolution(const int64_t *key)
{
    pthread_mutex_lock(&guard);
    Convolution *o = made;
    while (o && memcmp(o->key, key, sizeof o->key))
        o = o->next;
    if (!o && (o = calloc(1, sizeof *o))) {
        memcpy(o->key, key, sizeof o->key);
        int threads = limit_threads_of();
        limit_threads(1);
        if (!build(o))
            o->primitive = NULL;
        limit_threads(threads);
        o->next = made;
        made = o;
    }
    pthread_mutex_unlock(&guard);
    return o && o->primitive ? o : NULL;
}

static int run(const Convolution *o, float *source, float *kernel, float *target)
{
    Handle stream = NULL, x = NULL, k = NULL, plain = NULL, y = NULL, scratch = NULL;
    char *room = aligned_alloc(64, o->kernel_bytes + o->scratch_bytes + 64);
    int threads = limit_threads_of();
    limit_threads(1);
    int wrong = !room || new_stream(&stream, engine, 1) || new_memory(&x, o->source, engine, source)
        || new_memory(&plain, o->kernel, engine, kernel)
        || new_memory(&k, o->inner, engine, o->move ? (void *)room : kernel)
        || new_memory(&y, o->target, engine, target)
        || new_memory(&scratch, o->scratch, engine, room + o->kernel_bytes);
    Given given[] = {{SOURCE, x}, {WEIGHTS, k}, {TARGET, y}, {SCRATCHPAD, scratch}};
    if (o->gradient) {
        given[1].argument = OF_WEIGHTS;
        given[2].argument = OF_TARGET;
    }
    Given moved[] = {{SOURCE, o->gradient ? k : plain}, {TARGET, o->gradient ? plain : k}};
    if (!wrong && o->move && !o->gradient)
        wrong = execute(o->move, stream, 2, moved);
    wrong = wrong || execute(o->primitive, stream, 4, given);
    if (!wrong && o->move && o->gradient)
        wrong = execute(o->move, stream, 2, moved);
    limit_threads(threads);
    Handle memories[] = {x, k, plain, y, scratch};
    for (int i = 0; i < 5; i++)
        if (memories[i]) drop_memory(memories[i]);
    if (stream) drop_stream(stream);
    free(room);
    return !wrong;
}

/* -- the call ----------------------------------------------------------------------------------------- */

enum { MOST = 64 };

/* A batch in parts, each with its convolution and arrays. */
typedef struct {
    Convolution *how[MOST];
    float *source[MOST], *kernel[MOST], *target[MOST];
} Batch;

static int part_of(void *work, int i)
{
    const Batch *batch = work;
    return run(batch->how[i], batch->source[i], batch->kernel[i], batch->target[i]);
}

static int convolve(const Frame *frame, const int64_t *key, float *source, float *kernel, float *target)
{
    int parts = threads_of(frame, key[N] < MOST ? (int)key[N] : MOST), right = 1;
    Batch batch;
    size_t weights = (size_t)(key[KH] * key[KW] * key[C] * key[F]);
    float *others = NULL;
    int64_t first = 0, part[COUNT];
    memcpy(part, key, sizeof part);
    if (key[GRADIENT] && parts > 1 && !(others = malloc((size_t)(parts - 1) * weights * sizeof *others)))
        parts = 1;
    for (int i = 0; i < parts; i++, first += part[N]) {
        part[N] = key[N] / parts + (i < key[N] % parts);
        batch.how[i] = convolution(part);
        batch.source[i] = source + first * key[H] * key[W] * key[C];
        batch.target[i] = target + first * key[OH] * key[OW] * key[F];
        batch.kernel[i] = key[GRADIENT] && i ? others + (size_t)(i - 1) * weights : kernel;
        right = right && batch.how[i];
    }
    right = right && in_parts(frame, parts, part_of, &batch);
    /* In the order of the parts, whoever computed them: the same bits in each run. */
    for (int one = 1; right && others && one < parts; one++)
        for (size_t i = 0; i < weights; i++)
            kernel[i] += others[(size_t)(one - 1) * weights + i];
    free(others);
    return right;
}

static void *handler(Frame *frame)
{
    if (told_version(frame))
        return NULL;
    const Array *key = frame->attributes.count == 1 ? frame->attributes.items[0] : NULL;
    if (key && key->count == COUNT && frame->arguments.count == 2 && frame->results.count == 1) {
        float *a = data_of(&frame->arguments, 0), *b = data_of(&frame->arguments, 1);
        float *result = data_of(&frame->results, 0);
        if (key->data[GRADIENT] ? convolve(frame, key->data, a, result, b) : convolve(frame, key->data, a, b, result))
            return NULL;
    }
    return failed(frame, "oneDNN could not compute a convolution: set PENSTOCK_ONEDNN=off");
}

/* -- for Python --------------------------------------------------------------------------------------- */

static PyObject *load(PyObject *module, PyObject *path)
{
    const char *name = PyUnicode_AsUTF8(path);
    if (!name)
        return NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return PyErr_Format(PyExc_OSError, "%s", dlerror());
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        void *found = dlsym(library, NAMES[i].name);
        if (!found)
            return PyErr_Format(PyExc_OSError, "%s has no %s", name, NAMES[i].name);
        memcpy(NAMES[i].place, &found, sizeof found);
    }
    if (!engine && new_engine(&engine, CPU, 0))
        return PyErr_Format(PyExc_OSError, "%s does not start", name);
    return PyCapsule_New((void *)handler, CAPSULE, NULL);
}

static PyObject *supports(PyObject *module, PyObject *arguments)
{
    int64_t key[COUNT];
    if (!engine || PyTuple_Size(arguments) != COUNT) {
        PyErr_SetString(PyExc_ValueError, "supports takes 18 numbers, after load");
        return NULL;
    }
    for (int i = 0; i < COUNT; i++)
        key[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(arguments, i));
    return PyErr_Occurred() ? NULL : PyBool_FromLong(convolution(key) != NULL);
}

static PyMethodDef functions[] = {
    {"load", load, METH_O, "Opens the library at a path; returns the function that XLA calls."},
    {"supports", supports, METH_VARARGS, "Returns whether oneDNN has a fast method for a convolution."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "penstock.ops._onednn", "The calls of penstock.ops.onednn.", -1, functions,
};

PyMODINIT_FUNC PyInit__onednn(void)
{
    return PyModule_Create(&definition);
}
