/* Loops whose rows do not depend on each other, as a foreign function of XLA: docs/decisions/0068.

   ops/row_code.py writes the code: an array of integers with a header, then one instruction after another.
   Some rows at a time take all turns of the loop, in one thread. In between two matrix products, one row takes
   all instructions before the next row does, so that what they pass on stays in the processor's nearest memory. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <string.h>
#include "_xla.h"

#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__)
#define SEVERAL_PROCESSORS 1
#else
#define SEVERAL_PROCESSORS 0
#endif

/* -- the code --------------------------------------------------------------------------------------------- */

/* Where a value is. `buffer` counts the operands of the call, then its results; values that only the loop needs
   are in memory of their own, for all rows of the part (OWN) or for one row, which the next overwrites (PASSING).
   All numbers are in bytes: of the first row in the first turn, from row to row, and from turn to turn. Memory
   of one's own has no turns: `offset` is per row, and `turn` says how far into its row a value begins. */
typedef struct { int64_t buffer, offset, row, turn; } Place;
enum { OWN = -1, PASSING = -2 };

/* The first `carried` results are the carried values: before the first turn, the first arguments.
   `inner` is the length of the axis that a product sums over, and `flag` says of a product where its matrix
   stands among the packed ones, and of a choice whether its condition has one element for each row. */
typedef struct { int64_t operation, width, inner, flag; Place made, given[3]; } Instruction;

enum {
    COPY, PRODUCT, SPREAD, CHOOSE, ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, NEGATIVE, SQUARE, ROOT,
    EXPONENTIAL, SIGMOID, LOGISTIC, TANH, RELU, ABSOLUTE, TOTAL, NOTHING, EQUAL, UNEQUAL, LESS, AT_MOST, GREATER,
    AT_LEAST
};

typedef struct { int64_t turns, backwards, rows, count, carried, own, passing, packed; } Header;

/* -- functions of one element ------------------------------------------------------------------------------ */

/* By Moshier's Cephes: powers of two, and a polynomial for what remains, at most log(2) / 2. The comparisons
   are written so that NaN passes. */
INLINE float exponential(float x)
{
    x = x > 89.0f ? 89.0f : x;
    x = x < -105.0f ? -105.0f : x;
    float turns = (x * 1.44269504088896341f + 12582912.0f) - 12582912.0f;
    float rest = x - turns * 0.693359375f + turns * 2.12194440e-4f;
    float y = 1.9875691500e-4f;
    y = y * rest + 1.3981999507e-3f;
    y = y * rest + 8.3334519073e-3f;
    y = y * rest + 4.1665795894e-2f;
    y = y * rest + 1.6666665459e-1f;
    y = y * rest + 5.0000001201e-1f;
    y = y * rest * rest + rest + 1.0f;
    /* Two factors, because one alone may be too large or too small for a float where the result is not. */
    int32_t whole = (int32_t)turns, half = whole >> 1;
    int32_t first_bits = (half + 127) << 23, second_bits = (whole - half + 127) << 23;
    float first, second;
    memcpy(&first, &first_bits, sizeof first);
    memcpy(&second, &second_bits, sizeof second);
    return y * first * second;
}

INLINE float tanh_of(float x)
{
    float size = fabsf(x), square = x * x;
    float y = -5.70498872745e-3f;
    y = y * square + 2.06390887954e-2f;
    y = y * square - 5.37397155531e-2f;
    y = y * square + 1.33314422036e-1f;
    y = y * square - 3.33332819422e-1f;
    float near = x + x * square * y;
    float far = copysignf(1.0f - 2.0f / (exponential(2.0f * size) + 1.0f), x);
    return size < 0.625f ? near : far;
}

/* The two quotients of ops/pointwise.py. */
INLINE float sigmoid(float x)
{
    float e = exponential(x > 16.6355324f ? 16.6355324f : x);
    return e / (e + 1.0f);
}

INLINE float logistic(float x)
{
    float small = exponential(-fabsf(x));
    return (x >= 0.0f ? 1.0f : x < 0.0f ? small : x) / (small + 1.0f);
}

/* -- one row of an instruction ------------------------------------------------------------------------------ */

#define EACH_OF(made, expression)                                                                          \
    for (int64_t i = 0; i < width; i++)                                                                    \
        made[i] = (expression);                                                                            \
    break;
#define EACH(expression) EACH_OF(made, expression)
#define TEST(expression) EACH_OF(truth, expression)

INLINE float total(const float *a, int64_t count)
{
    float sums[8] = {0}, sum = 0.0f;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int j = 0; j < 8; j++)
            sums[j] += a[i + j];
    for (; i < count; i++)
        sum += a[i];
    for (int j = 0; j < 8; j++)
        sum += sums[j];
    return sum;
}

INLINE void one_row(const Instruction *one, float *restrict made, const void *first, const void *second,
                    const void *third)
{
    const float *a = first, *b = second, *c = third;
    const uint8_t *chosen = first;
    uint8_t *restrict truth = (uint8_t *)made;
    int64_t width = one->width;
    switch (one->operation) {
    case COPY: memcpy(made, a, (size_t)width * sizeof *made); break;
    case SPREAD: EACH(*a)
    case CHOOSE:
        if (one->flag) {
            memcpy(made, *chosen ? b : c, (size_t)width * sizeof *made);
            break;
        }
        EACH(chosen[i] ? b[i] : c[i])
    case ADD: EACH(a[i] + b[i])
    case SUBTRACT: EACH(a[i] - b[i])
    case MULTIPLY: EACH(a[i] * b[i])
    case DIVIDE: EACH(a[i] / b[i])
    case MAXIMUM: EACH(a[i] > b[i] || a[i] != a[i] ? a[i] : b[i])
    case MINIMUM: EACH(a[i] < b[i] || a[i] != a[i] ? a[i] : b[i])
    case NEGATIVE: EACH(-a[i])
    case SQUARE: EACH(a[i] * a[i])
    case ROOT: EACH(sqrtf(a[i]))
    case EXPONENTIAL: EACH(exponential(a[i]))
    case SIGMOID: EACH(sigmoid(a[i]))
    case LOGISTIC: EACH(logistic(a[i]))
    case TANH: EACH(tanh_of(a[i]))
    case RELU: EACH(a[i] > 0.0f || a[i] != a[i] ? a[i] : 0.0f)
    case ABSOLUTE: EACH(fabsf(a[i]))
    case TOTAL: *made = total(a, one->inner); break;
    case NOTHING: EACH(0.0f)
    case EQUAL: TEST(a[i] == b[i])
    case UNEQUAL: TEST(a[i] != b[i])
    case LESS: TEST(a[i] < b[i])
    case AT_MOST: TEST(a[i] <= b[i])
    case GREATER: TEST(a[i] > b[i])
    case AT_LEAST: TEST(a[i] >= b[i])
    }
}

/* -- products ----------------------------------------------------------------------------------------------- */

/* A matrix is packed once for each call: PANEL columns side by side, one row of them after another, and zeros
   where there are no more columns. */
enum { PANEL = 32 };

static size_t packed_length(int64_t inner, int64_t width)
{
    return (size_t)((width + PANEL - 1) / PANEL * PANEL * inner);
}

static void pack(const float *matrix, int64_t inner, int64_t width, float *packed)
{
    for (int64_t column = 0; column < width; column += PANEL) {
        int64_t count = width - column < PANEL ? width - column : PANEL;
        for (int64_t k = 0; k < inner; k++, packed += PANEL) {
            memcpy(packed, matrix + k * width + column, (size_t)count * sizeof *packed);
            memset(packed + count, 0, (size_t)(PANEL - count) * sizeof *packed);
        }
    }
}

/* Defines a function that multiplies `count` rows by one panel. VECTOR has so many floats that the processor
   holds count * PANEL of them in its registers. Each element is summed in the order of its terms, so it does not
   depend on which rows are multiplied together. */
#define TILE(name, vector, count)                                                                          \
    INLINE void name(const char *rows, int64_t stride, int64_t inner, const float *panel, int64_t columns, \
                     char *made, int64_t made_stride)                                                      \
    {                                                                                                      \
        enum { LANES = sizeof(vector) / sizeof(float), VECTORS = PANEL / LANES };                          \
        vector sum[count][VECTORS];                                                                        \
        const float *row[count];                                                                           \
        for (int r = 0; r < count; r++) {                                                                  \
            row[r] = (const float *)(rows + r * stride);                                                   \
            for (int v = 0; v < VECTORS; v++)                                                              \
                sum[r][v] = (vector){0};                                                                   \
        }                                                                                                  \
        for (int64_t k = 0; k < inner; k++, panel += PANEL) {                                              \
            vector here[VECTORS];                                                                          \
            for (int v = 0; v < VECTORS; v++)                                                              \
                memcpy(&here[v], panel + v * LANES, sizeof(vector));                                       \
            for (int r = 0; r < count; r++)                                                                \
                for (int v = 0; v < VECTORS; v++)                                                          \
                    sum[r][v] += here[v] * row[r][k];                                                      \
        }                                                                                                  \
        for (int r = 0; r < count; r++)                                                                    \
            memcpy(made + r * made_stride, sum[r], (size_t)columns * sizeof(float));                       \
    }

#define PRODUCT_OF(name, vector, most, tile_of_most, tile_of_one)                                          \
    INLINE void name(const char *rows, int64_t stride, int64_t count, int64_t inner, const float *packed,  \
                     int64_t width, char *made, int64_t made_stride)                                       \
    {                                                                                                      \
        for (int64_t column = 0; column < width; column += PANEL, packed += PANEL * inner) {               \
            int64_t columns = width - column < PANEL ? width - column : PANEL, r = 0;                      \
            char *place = made + column * (int64_t)sizeof(float);                                          \
            for (; r + most <= count; r += most)                                                           \
                tile_of_most(rows + r * stride, stride, inner, packed, columns, place + r * made_stride,   \
                             made_stride);                                                                 \
            for (; r < count; r++)                                                                         \
                tile_of_one(rows + r * stride, stride, inner, packed, columns, place + r * made_stride,    \
                            made_stride);                                                                  \
        }                                                                                                  \
    }

/* -- a part of the rows -------------------------------------------------------------------------------------- */

typedef struct {
    const Header *header;
    const Instruction *code;
    char *const *buffers;
    const float *packed;
    int64_t each; /* rows of a part */
} Loop;

INLINE char *at(const Loop *loop, const Place *place, char *own, char *passing, int64_t first, int64_t rows,
                int64_t turn)
{
    if (place->buffer == OWN)
        return own + place->offset * rows + place->turn;
    if (place->buffer == PASSING)
        return passing + place->offset;
    return loop->buffers[place->buffer] + place->offset + place->row * first + place->turn * turn;
}

/* How many operands an instruction has. */
INLINE int given_of(int64_t operation)
{
    if (operation == NOTHING)
        return 0;
    if (operation == CHOOSE)
        return 3;
    return (operation >= ADD && operation <= MINIMUM) || operation >= EQUAL ? 2 : 1;
}

#define TURNS(name, product)                                                                               \
    INLINE void name(const Loop *loop, char *own, char *passing, int64_t first, int64_t rows)              \
    {                                                                                                      \
        const Header *header = loop->header;                                                               \
        for (int64_t number = 0; number < header->turns; number++) {                                       \
            int64_t turn = header->backwards ? header->turns - 1 - number : number;                        \
            for (const Instruction *one = loop->code, *end = one + header->count; one < end;) {            \
                if (one->operation == PRODUCT) {                                                           \
                    const char *from = at(loop, one->given, own, passing, first, rows, turn);              \
                    char *made = at(loop, &one->made, own, passing, first, rows, turn);                    \
                    product(from, one->given->row, rows, one->inner, loop->packed + one->flag, one->width, \
                            made, one->made.row);                                                          \
                    one++;                                                                                 \
                    continue;                                                                              \
                }                                                                                          \
                const Instruction *last = one;                                                             \
                while (last < end && last->operation != PRODUCT)                                           \
                    last++;                                                                                \
                for (int64_t r = 0; r < rows; r++)                                                         \
                    for (const Instruction *now = one; now < last; now++) {                                \
                        const void *given[3] = {NULL, NULL, NULL};                                         \
                        for (int i = 0; i < given_of(now->operation); i++)                                 \
                            given[i] = at(loop, &now->given[i], own, passing, first, rows, turn) +         \
                                       r * now->given[i].row;                                              \
                        char *made = at(loop, &now->made, own, passing, first, rows, turn);                \
                        one_row(now, (float *)(made + r * now->made.row), given[0], given[1], given[2]);   \
                    }                                                                                      \
                one = last;                                                                                \
            }                                                                                              \
        }                                                                                                  \
    }

/* The same for three kinds of processors: vectors of 16, 8 and 4 floats. */
typedef float Four __attribute__((vector_size(16)));
TILE(four_rows_by_four, Four, 1)
PRODUCT_OF(product_by_four, Four, 1, four_rows_by_four, four_rows_by_four)
TURNS(turns_by_four, product_by_four)

static void plain(const Loop *loop, char *own, char *passing, int64_t first, int64_t rows)
{
    turns_by_four(loop, own, passing, first, rows);
}

#if SEVERAL_PROCESSORS
typedef float Eight __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));
TILE(three_rows_by_eight, Eight, 3)
TILE(row_by_eight, Eight, 1)
PRODUCT_OF(product_by_eight, Eight, 3, three_rows_by_eight, row_by_eight)
TURNS(turns_by_eight, product_by_eight)
TILE(eight_rows_by_sixteen, Sixteen, 8)
TILE(row_by_sixteen, Sixteen, 1)
PRODUCT_OF(product_by_sixteen, Sixteen, 8, eight_rows_by_sixteen, row_by_sixteen)
TURNS(turns_by_sixteen, product_by_sixteen)

__attribute__((target("avx2,fma")))
static void with_eight(const Loop *loop, char *own, char *passing, int64_t first, int64_t rows)
{
    turns_by_eight(loop, own, passing, first, rows);
}

__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
static void with_sixteen(const Loop *loop, char *own, char *passing, int64_t first, int64_t rows)
{
    turns_by_sixteen(loop, own, passing, first, rows);
}
#endif

typedef void Turns(const Loop *, char *, char *, int64_t, int64_t);

static Turns *fastest(void)
{
#if SEVERAL_PROCESSORS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return with_sixteen;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return with_eight;
#endif
    return plain;
}

enum { LINE = 64 };

static int part(void *work, int number)
{
    const Loop *loop = work;
    const Header *header = loop->header;
    int64_t first = loop->each * number;
    int64_t rows = first + loop->each < header->rows ? loop->each : header->rows - first;
    size_t own = ((size_t)(header->own * rows) + LINE - 1) / LINE * LINE;
    char *memory;
    if (posix_memalign((void **)&memory, LINE, own + (size_t)header->passing + LINE))
        return 0;
    fastest()(loop, memory, memory + own, first, rows);
    free(memory);
    return 1;
}

/* -- a call --------------------------------------------------------------------------------------------------- */

enum { MOST_ROWS = 32, LEAST_ROWS = 4, MOST_BUFFERS = 512, FIELDS = sizeof(Instruction) / sizeof(int64_t) };

static void *handler(Frame *frame)
{
    if (told_version(frame))
        return NULL;
    const Array *how = frame->attributes.count == 1 ? frame->attributes.items[0] : NULL;
    size_t start = sizeof(Header) / sizeof(int64_t);
    const Header *header = how && how->count >= start ? (const Header *)how->data : NULL;
    int64_t operands = frame->arguments.count, buffers = operands + frame->results.count;
    if (!header || how->count != start + (size_t)header->count * FIELDS || buffers > MOST_BUFFERS)
        return failed(frame, "a loop was called with other code than it has");
    char *places[MOST_BUFFERS];
    for (int64_t i = 0; i < buffers; i++)
        places[i] = i < operands ? data_of(&frame->arguments, i) : data_of(&frame->results, i - operands);
    for (int64_t i = 0; i < header->carried; i++) {
        const Buffer *whole = frame->arguments.items[i];
        memcpy(places[operands + i], places[i], (size_t)(whole->dims[0] * whole->dims[1]) * sizeof(float));
    }
    float *packed;
    if (posix_memalign((void **)&packed, LINE, (size_t)header->packed * sizeof *packed + LINE))
        return failed(frame, "there is no memory for a loop");
    Loop loop = {header, (const Instruction *)(how->data + start), places, packed, header->rows};
    for (int64_t i = 0; i < header->count; i++) {
        const Instruction *one = &loop.code[i];
        if (one->operation == PRODUCT)
            pack((const float *)places[one->given[1].buffer], one->inner, one->width, packed + one->flag);
    }
    int64_t parts = (header->rows + MOST_ROWS - 1) / MOST_ROWS, most = header->rows / LEAST_ROWS;
    int threads = threads_of(frame, most < 1 ? 1 : most < 1024 ? (int)most : 1024);
    /* As many parts for each thread, as far as that is possible. */
    parts = (parts + threads - 1) / threads * threads;
    loop.each = (header->rows + parts - 1) / parts;
    parts = loop.each ? (header->rows + loop.each - 1) / loop.each : 0;
    int done = in_parts(frame, (int)parts, part, &loop);
    free(packed);
    return done ? NULL : failed(frame, "there is no memory for a loop");
}

static PyObject *function(PyObject *module, PyObject *nothing)
{
    return PyCapsule_New((void *)handler, CAPSULE, NULL);
}

static PyObject *length(PyObject *module, PyObject *lengths)
{
    long long inner, width;
    if (!PyArg_ParseTuple(lengths, "LL", &inner, &width))
        return NULL;
    return PyLong_FromSize_t(packed_length(inner, width));
}

static PyMethodDef functions[] = {
    {"function", function, METH_NOARGS, "Returns the function that XLA calls."},
    {"packed_length", length, METH_VARARGS, "Returns how many floats a packed matrix takes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "penstock.ops._row_loops", "Loops whose rows do not depend on each other.", -1,
    functions,
};

PyMODINIT_FUNC PyInit__row_loops(void)
{
    return PyModule_Create(&definition);
}
