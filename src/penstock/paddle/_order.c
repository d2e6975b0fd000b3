/* The order of equal elements that std::sort and its kin leave; _introsort.py is the definition. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

enum { SORT, TOP };
enum { FEW = 16 };

typedef struct {
    int64_t rank, place;
} one;

static void swap(one *a, one *b)
{
    one held = *a;
    *a = *b;
    *b = held;
}

static int twice_logarithm(Py_ssize_t length)
{
    int depth = 0;
    for (; length > 1; length >>= 1)
        depth += 2;
    return depth;
}

static one *split(one *first, one *last)
{
    one *low = first + 1, *middle = first + (last - first) / 2, *high = last - 1, *pivot;
    int64_t a = low->rank, b = middle->rank, c = high->rank;
    if (a < b)
        pivot = b < c ? middle : a < c ? high : low;
    else
        pivot = a < c ? low : b < c ? high : middle;
    swap(first, pivot);
    int64_t rank = first->rank;
    for (first = low;; first++) {
        while (first->rank < rank)
            first++;
        last--;
        while (rank < last->rank)
            last--;
        if (first >= last)
            return first;
        swap(first, last);
    }
}

static void insert(one *first, one *last)
{
    for (one *next = first + 1; next < last; next++) {
        one held = *next, *hole = next;
        for (; hole > first && held.rank < hole[-1].rank; hole--)
            *hole = hole[-1];
        *hole = held;
    }
}

static void sink(one *heap, Py_ssize_t hole, Py_ssize_t length, one held)
{
    Py_ssize_t top = hole, child = hole;
    while (child < (length - 1) / 2) {
        child = 2 * (child + 1);
        if (heap[child].rank < heap[child - 1].rank)
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (length % 2 == 0 && child == (length - 2) / 2) {
        child = 2 * child + 1;
        heap[hole] = heap[child];
        hole = child;
    }
    for (; hole > top && heap[(hole - 1) / 2].rank < held.rank; hole = (hole - 1) / 2)
        heap[hole] = heap[(hole - 1) / 2];
    heap[hole] = held;
}

static void gather(one *first, one *middle, one *last)
{
    Py_ssize_t length = middle - first;
    for (Py_ssize_t root = (length - 2) / 2; length > 1 && root >= 0; root--)
        sink(first, root, length, first[root]);
    for (one *next = middle; next < last; next++)
        if (next->rank < first->rank) {
            one held = *next;
            *next = *first;
            sink(first, 0, length, held);
        }
}

static void empty(one *first, one *last)
{
    while (last - first > 1) {
        one held = *--last;
        *last = *first;
        sink(first, 0, last - first, held);
    }
}

static void split_all(one *first, one *last, int depth)
{
    while (last - first > FEW) {
        if (!depth--) {
            gather(first, last, last);
            empty(first, last);
            return;
        }
        one *cut = split(first, last);
        split_all(cut, last, depth);
        last = cut;
    }
}

static void sort(one *first, one *last)
{
    split_all(first, last, twice_logarithm(last - first));
    insert(first, last);
}

static void choose(one *first, one *middle, one *last)
{
    for (int depth = twice_logarithm(last - first); last - first > 3;) {
        if (!depth--) {
            gather(first, middle + 1, last);
            swap(first, middle);
            return;
        }
        one *cut = split(first, last);
        if (cut <= middle)
            first = cut;
        else
            last = cut;
    }
    insert(first, last);
}

static void arrange_row(one *row, Py_ssize_t length, int what, Py_ssize_t k)
{
    if (what == SORT) {
        sort(row, row + length);
    } else if (k < 1) {
        return;
    } else if (k * 64 < length) {
        gather(row, row + k, row + length);
        empty(row, row + k);
    } else {
        choose(row, row + k - 1, row + length);
        if (what == TOP)
            sort(row, row + k - 1);
    }
}

static PyObject *arrange(PyObject *module, PyObject *arguments)
{
    PyObject *given, *filled;
    int what;
    Py_ssize_t k;
    if (!PyArg_ParseTuple(arguments, "OOin", &given, &filled, &what, &k))
        return NULL;
    Py_buffer ranks, places;
    if (PyObject_GetBuffer(given, &ranks, PyBUF_ND))
        return NULL;
    if (PyObject_GetBuffer(filled, &places, PyBUF_ND | PyBUF_WRITABLE)) {
        PyBuffer_Release(&ranks);
        return NULL;
    }
    PyObject *result = NULL;
    Py_ssize_t length = ranks.ndim == 2 ? ranks.shape[1] : 0;
    one *row = PyMem_RawMalloc((size_t)(length ? length : 1) * sizeof(one));
    if (!row) {
        PyErr_NoMemory();
    } else if (ranks.ndim != 2 || ranks.itemsize != 8 || places.itemsize != 8 || places.len != ranks.len ||
               k < 0 || k > length) {
        PyErr_SetString(PyExc_ValueError, "arrange takes two arrays [n, m] of int64, and k of at most m");
    } else {
        const int64_t *rank = ranks.buf;
        int64_t *place = places.buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < ranks.shape[0]; i++, rank += length, place += length) {
            for (Py_ssize_t j = 0; j < length; j++)
                row[j] = (one){rank[j], j};
            arrange_row(row, length, what, k);
            for (Py_ssize_t j = 0; j < length; j++)
                place[j] = row[j].place;
        }
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyMem_RawFree(row);
    PyBuffer_Release(&places);
    PyBuffer_Release(&ranks);
    return result;
}

static PyMethodDef functions[] = {
    {"arrange", arrange, METH_VARARGS, "See penstock.paddle._introsort.arrange_by_python."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "penstock.paddle._order", "The order of penstock.paddle._introsort.", -1, functions,
};

PyMODINIT_FUNC PyInit__order(void)
{
    return PyModule_Create(&definition);
}
