/* The words of the 64-bit Mersenne Twister; _twister.py is the definition. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

enum { WORDS = 312, MIDDLE = 156 };
static const uint64_t UPPER = 0xFFFFFFFF80000000u, LOWER = 0x7FFFFFFFu, MATRIX = 0xB5026F5AA96619E9u;

static inline uint64_t following(uint64_t apart, uint64_t word, uint64_t next)
{
    uint64_t joined = (word & UPPER) | (next & LOWER);
    return apart ^ (joined >> 1) ^ ((0 - (joined & 1)) & MATRIX);
}

static void advance(uint64_t *state)
{
    int i = 0;
    for (; i < WORDS - MIDDLE; i++)
        state[i] = following(state[i + MIDDLE], state[i], state[i + 1]);
    for (; i < WORDS - 1; i++)
        state[i] = following(state[i + MIDDLE - WORDS], state[i], state[i + 1]);
    state[i] = following(state[i + MIDDLE - WORDS], state[i], state[0]);
}

static inline uint64_t tempered(uint64_t word)
{
    word ^= (word >> 29) & 0x5555555555555555u;
    word ^= (word << 17) & 0x71D67FFFEDA60000u;
    word ^= (word << 37) & 0xFFF7EEE000000000u;
    return word ^ (word >> 43);
}

static PyObject *fill(PyObject *module, PyObject *arguments)
{
    Py_buffer state, out;
    if (!PyArg_ParseTuple(arguments, "w*w*", &state, &out))
        return NULL;
    PyObject *result = NULL;
    if (state.len != WORDS * (Py_ssize_t)sizeof(uint64_t) || out.len % state.len) {
        PyErr_SetString(PyExc_ValueError, "fill takes a state of 312 words and room for whole rounds of it");
    } else {
        uint64_t *words = state.buf, *place = out.buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t round = out.len / state.len; round > 0; round--) {
            advance(words);
            for (int i = 0; i < WORDS; i++)
                *place++ = tempered(words[i]);
        }
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&state);
    PyBuffer_Release(&out);
    return result;
}

static PyMethodDef functions[] = {
    {"fill", fill, METH_VARARGS, "See penstock.paddle._twister.fill."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "penstock.paddle._twist", "The words of penstock.paddle._twister.", -1, functions,
};

PyMODINIT_FUNC PyInit__twist(void)
{
    return PyModule_Create(&definition);
}
