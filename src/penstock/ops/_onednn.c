/* Convolutions by oneDNN as a foreign function of XLA; onednn.py says when it is called: docs/decisions/0052.

   Nothing is linked: the library is opened by its path. So the few declarations of oneDNN 3 and of XLA's
   interface 0.3 that are used here stand below, and onednn.py checks both versions. The batch is cut into as
   many parts as XLA has threads, and each part runs in one thread of XLA, so that OpenMP starts none. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* -- XLA's interface ---------------------------------------------------------------------------------- */

typedef struct { size_t size; void *extension; int32_t type; void *data; int64_t rank; int64_t *dims; } Buffer;
typedef struct { size_t size; void *extension; int64_t count; int *types; void **items; } Operands;
typedef struct { size_t size; void *extension; int64_t count; int *types; void **names; void **items; } Attributes;
typedef struct { int32_t type; size_t count; int64_t *data; } Array;
typedef struct { size_t size; void *extension; const char *message; int code; } Failure;
typedef struct { size_t size; void *extension; void *context; void (*run)(void *); void *data; } Schedule;
typedef struct { size_t size; void *extension; void *context; int64_t *found; } Threads;
typedef struct { size_t size; void *extension; int major, minor; } Version;
typedef struct { size_t size; Version version; uint32_t traits; int64_t state; } Metadata;
typedef struct Extension { size_t size; int type; struct Extension *next; Metadata *metadata; } Extension;
typedef struct {
    size_t size; void *extension; Version version; void *internal;
    void *(*fail)(Failure *);
    void *others[10];
    void *(*schedule)(Schedule *);
    void *(*threads)(Threads *);
} Api;
typedef struct {
    size_t size; Extension *extension; const Api *api; void *context; int stage;
    Operands arguments, results; Attributes attributes;
} Frame;
enum { METADATA = 1, INTERNAL = 13 };

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

/* A batch in parts. Whoever is free takes the next one, the caller too, so that it never waits for a part
   that nobody has begun. The last to leave frees the job. */
typedef struct {
    int parts;
    Convolution *how[MOST];
    float *source[MOST], *kernel[MOST], *target[MOST];
    atomic_int next, wrong, holders;
    int done;
    pthread_mutex_t mutex;
    pthread_cond_t all;
} Job;

static void leave(Job *job)
{
    if (atomic_fetch_sub(&job->holders, 1) == 1) {
        pthread_mutex_destroy(&job->mutex);
        pthread_cond_destroy(&job->all);
        free(job);
    }
}

static void work(Job *job)
{
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < job->parts;) {
        if (!run(job->how[i], job->source[i], job->kernel[i], job->target[i]))
            atomic_store(&job->wrong, 1);
        pthread_mutex_lock(&job->mutex);
        if (++job->done == job->parts)
            pthread_cond_signal(&job->all);
        pthread_mutex_unlock(&job->mutex);
    }
}

static void help(void *data)
{
    work(data);
    leave(data);
}

static int convolve(const Frame *frame, const int64_t *key, float *source, float *kernel, float *target)
{
    int64_t threads = 1;
    Threads ask = {sizeof ask, NULL, frame->context, &threads};
    if (frame->api->threads(&ask))
        threads = 1;
    int64_t parts = threads < key[N] ? threads : key[N];
    parts = parts < 1 ? 1 : parts > MOST ? MOST : parts;
    Job *job = calloc(1, sizeof *job);
    if (!job)
        return 0;
    size_t weights = (size_t)(key[KH] * key[KW] * key[C] * key[F]);
    float *others = NULL;
    int64_t first = 0, part[COUNT];
    memcpy(part, key, sizeof part);
    if (key[GRADIENT] && parts > 1 && !(others = malloc((size_t)(parts - 1) * weights * sizeof *others)))
        parts = 1;
    for (int i = 0; i < parts; i++, first += part[N]) {
        part[N] = key[N] / parts + (i < key[N] % parts);
        job->how[i] = convolution(part);
        job->source[i] = source + first * key[H] * key[W] * key[C];
        job->target[i] = target + first * key[OH] * key[OW] * key[F];
        job->kernel[i] = key[GRADIENT] && i ? others + (size_t)(i - 1) * weights : kernel;
        if (!job->how[i])
            atomic_store(&job->wrong, 1);
    }
    job->parts = (int)parts;
    pthread_mutex_init(&job->mutex, NULL);
    pthread_cond_init(&job->all, NULL);
    atomic_store(&job->holders, 1);
    if (!atomic_load(&job->wrong)) {
        for (int i = 1; i < parts; i++) {
            Schedule asked = {sizeof asked, NULL, frame->context, help, job};
            atomic_fetch_add(&job->holders, 1);
            if (frame->api->schedule(&asked))
                atomic_fetch_sub(&job->holders, 1);
        }
        work(job);
        pthread_mutex_lock(&job->mutex);
        while (job->done < job->parts)
            pthread_cond_wait(&job->all, &job->mutex);
        pthread_mutex_unlock(&job->mutex);
    }
    int right = !atomic_load(&job->wrong);
    leave(job);
    /* In the order of the parts, whoever computed them: the same bits in each run. */
    for (int64_t one = 1; right && others && one < parts; one++)
        for (size_t i = 0; i < weights; i++)
            kernel[i] += others[(size_t)(one - 1) * weights + i];
    free(others);
    return right;
}

static void *handler(Frame *frame)
{
    if (frame->extension && frame->extension->type == METADATA) {
        Metadata *metadata = frame->extension->metadata;
        metadata->version.major = 0;
        metadata->version.minor = 3;
        metadata->traits = 0;
        return NULL;
    }
    const Array *key = frame->attributes.count == 1 ? frame->attributes.items[0] : NULL;
    if (key && key->count == COUNT && frame->arguments.count == 2 && frame->results.count == 1) {
        float *a = ((Buffer *)frame->arguments.items[0])->data, *b = ((Buffer *)frame->arguments.items[1])->data;
        float *result = ((Buffer *)frame->results.items[0])->data;
        if (key->data[GRADIENT] ? convolve(frame, key->data, a, result, b) : convolve(frame, key->data, a, b, result))
            return NULL;
    }
    Failure failure = {sizeof failure, NULL, "oneDNN could not compute a convolution: set PENSTOCK_ONEDNN=off", INTERNAL};
    return frame->api->fail(&failure);
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
    return PyCapsule_New((void *)handler, "xla._CUSTOM_CALL_TARGET", NULL);
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
