/* The hot path of the recorder, in C: the classes and functions of trace/fast_path.py, which defines them.

   Objects keep their Python classes; this file reads and writes their __slots__ at the offsets that the
   descriptors of those classes give. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

static PyObject *threads, *engine, *library_files, *is_library, *name_trace, *name_read, *name_enter, *name_tensor_class;
static PyTypeObject *tensor_type, *cell_type, *trace_type;
static Py_ssize_t tensor_trace, tensor_slot, tensor_spec, tensor_value;
static Py_ssize_t trace_node, trace_handles, trace_entered, trace_current, trace_arguments, trace_variables;
static Py_ssize_t trace_again, trace_stale, trace_entries, trace_pending, trace_checkpoint, trace_counts;
static Py_ssize_t tensor_past, cell_version, trace_rehearsal, engine_several;
static Py_ssize_t node_edges, node_slot, node_spec, cell_uid, cell_value, cell_pending, cell_read_key;
static PyObject *word_enter;

#define AT(object, offset) (*(PyObject **)((char *)(object) + (offset)))
#define MOST 6

static void put(PyObject *object, Py_ssize_t offset, PyObject *value)
{
    PyObject *before = AT(object, offset);
    Py_INCREF(value);
    AT(object, offset) = value;
    Py_XDECREF(before);
}

/* Trace.read for the plain case: the path knows this read, and no other thread or earlier read is in play.
   NULL without an exception means that the case is not plain. */
static PyObject *read_variable(PyObject *trace, PyObject *variable)
{
    PyObject *value = AT(variable, cell_value);
    if (value == Py_None || AT(variable, cell_pending) != Py_None || PyDict_GET_SIZE(AT(trace, trace_again)) ||
        PySet_GET_SIZE(AT(trace, trace_stale)))
        return NULL;
    PyObject *node = PyDict_GetItemWithError(AT(AT(trace, trace_node), node_edges), AT(variable, cell_read_key));
    if (node == NULL)
        return NULL;
    put(trace, trace_node, node);
    PyObject *slot = AT(node, node_slot);
    if (PyList_Append(AT(trace, trace_arguments), value) < 0 || PyList_Append(AT(trace, trace_variables), variable) < 0 ||
        PyDict_SetItem(AT(trace, trace_current), AT(variable, cell_uid), slot) < 0)
        return NULL;
    return Py_NewRef(slot);
}

/* Trace.enter for the plain case: the tensor has a value, and the path knows that one of its spec enters here. */
static PyObject *enter_tensor(PyObject *trace, PyObject *tensor, PyObject *identity)
{
    PyObject *value = AT(tensor, tensor_value);
    if (value == Py_None || PyExceptionInstance_Check(value))
        return NULL;
    PyObject *key = Py_TYPE(tensor) == tensor_type
                        ? PyTuple_Pack(2, word_enter, AT(tensor, tensor_spec))
                        : PyTuple_Pack(3, word_enter, AT(tensor, tensor_spec), (PyObject *)Py_TYPE(tensor));
    if (key == NULL)
        return NULL;
    PyObject *node = PyDict_GetItemWithError(AT(AT(trace, trace_node), node_edges), key);
    Py_DECREF(key);
    if (node == NULL)
        return NULL;
    put(trace, trace_node, node);
    PyObject *slot = AT(node, node_slot);
    if (PyList_Append(AT(trace, trace_arguments), value) < 0 || PyList_Append(AT(trace, trace_entries), tensor) < 0 ||
        PyDict_SetItem(AT(trace, trace_entered), identity, slot) < 0)
        return NULL;
    return Py_NewRef(slot);
}

/* Returns the reference of an operand (a slot, or a number as it is) and its kind: 0 slot, 1 float, 2 int.
   NULL without an exception means that the operand needs the long way. */
static PyObject *reference(PyObject *trace, PyObject *operand, long *kind)
{
    *kind = 0;
    if (PyObject_TypeCheck(operand, tensor_type)) {
        if (AT(operand, tensor_trace) == trace)
            return Py_NewRef(AT(operand, tensor_slot));
        PyObject *identity = PyLong_FromVoidPtr(operand);
        if (identity == NULL)
            return NULL;
        PyObject *slot = PyDict_GetItemWithError(AT(trace, trace_entered), identity);
        if (slot != NULL)
            Py_INCREF(slot);
        else if (!PyErr_Occurred())
            slot = enter_tensor(trace, operand, identity);
        Py_DECREF(identity);
        if (slot != NULL || PyErr_Occurred())
            return slot;
        return PyObject_CallMethodOneArg(trace, name_enter, operand);
    }
    if (PyObject_TypeCheck(operand, cell_type)) {
        PyObject *slot = PyDict_GetItemWithError(AT(trace, trace_current), AT(operand, cell_uid));
        if (slot != NULL)
            return Py_NewRef(slot);
        if (PyErr_Occurred())
            return NULL;
        slot = read_variable(trace, operand);
        if (slot != NULL || PyErr_Occurred())
            return slot;
        return PyObject_CallMethodOneArg(trace, name_read, operand);
    }
    if (PyFloat_CheckExact(operand)) {
        double value = PyFloat_AS_DOUBLE(operand);
        if (value == 0.0 || value != value)
            return NULL;
        *kind = 1;
        return Py_NewRef(operand);
    }
    if (PyLong_CheckExact(operand)) {
        *kind = 2;
        return Py_NewRef(operand);
    }
    return NULL;
}

/* Returns the innermost frame that is neither the library's nor the standard library's, or NULL. */
static PyFrameObject *user_frame(void)
{
    PyFrameObject *frame = PyEval_GetFrame();
    Py_XINCREF(frame);
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyObject *found = PyDict_GetItemWithError(library_files, code->co_filename);
        int inside = found == Py_True;
        if (found == NULL && !PyErr_Occurred()) {
            found = PyObject_CallOneArg(is_library, (PyObject *)code);
            inside = found == Py_True;
            Py_XDECREF(found);
        }
        Py_DECREF(code);
        if (found == NULL) {
            Py_DECREF(frame);
            return NULL;
        }
        if (!inside)
            return frame;
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    return NULL;
}

/* Moves the cursor along an edge that is there and returns a new handle on its value.
   NULL without an exception means that there is none. */
static PyObject *follow(PyObject *head, PyObject *const *operands, Py_ssize_t count, PyTypeObject *kind)
{
    PyObject *trace = PyObject_GetAttr(threads, name_trace);
    if (trace == NULL)
        return NULL;
    Py_DECREF(trace); /* the thread's storage holds it */
    if (Py_TYPE(trace) != trace_type || count > MOST)
        return NULL;
    PyObject *key = PyTuple_New(count + 4);
    if (key == NULL)
        return NULL;
    long kinds = 0, one;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *found = reference(trace, operands[i], &one);
        if (found == NULL) {
            Py_DECREF(key);
            return NULL;
        }
        kinds = kinds * 3 + one;
        PyTuple_SET_ITEM(key, i + 2, found);
        if (kind == NULL && one == 0) {
            if (Py_TYPE(operands[i]) == tensor_type)
                continue;
            PyObject *class = PyObject_GetAttr((PyObject *)Py_TYPE(operands[i]), name_tensor_class);
            if (class == NULL) {
                Py_DECREF(key);
                return NULL;
            }
            if (class != (PyObject *)tensor_type)
                kind = (PyTypeObject *)class;
            Py_DECREF(class); /* the operands' class holds it */
        }
    }
    if (kind == NULL)
        kind = tensor_type;
    PyFrameObject *frame = user_frame();
    if (frame == NULL) {
        Py_DECREF(key);
        return NULL;
    }
    PyCodeObject *code = PyFrame_GetCode(frame);
    PyTuple_SET_ITEM(key, 0, Py_NewRef(head));
    PyTuple_SET_ITEM(key, 1, PyLong_FromLong(kinds));
    PyTuple_SET_ITEM(key, count + 2, PyLong_FromLong(PyFrame_GetLasti(frame)));
    PyTuple_SET_ITEM(key, count + 3, PyLong_FromVoidPtr(code));
    Py_DECREF(code);
    Py_DECREF(frame);
    PyObject *node = PyDict_GetItemWithError(AT(AT(trace, trace_node), node_edges), key);
    Py_DECREF(key);
    if (node == NULL)
        return NULL;
    put(trace, trace_node, node);
    PyObject *tensor = kind->tp_alloc(kind, 0);
    if (tensor == NULL)
        return NULL;
    AT(tensor, tensor_trace) = Py_NewRef(trace);
    AT(tensor, tensor_slot) = Py_NewRef(AT(node, node_slot));
    AT(tensor, tensor_spec) = Py_NewRef(AT(node, node_spec));
    AT(tensor, tensor_value) = Py_NewRef(Py_None);
    if (PyList_Append(AT(trace, trace_handles), tensor) < 0) {
        Py_DECREF(tensor);
        return NULL;
    }
    return tensor;
}

static PyObject *find(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    /* find(head, *operands) */
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "find takes a head and operands");
        return NULL;
    }
    PyObject *tensor = follow(arguments[0], arguments + 1, count - 1, NULL);
    if (tensor == NULL && !PyErr_Occurred())
        Py_RETURN_NONE;
    return tensor;
}

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *head, *kind, *slow;
    int reflected;
} Method;

static PyObject *method_call(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Method *method = (Method *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    PyObject *tensor = NULL;
    if (names == NULL && count == 2 && method->reflected) {
        PyObject *swapped[2] = {arguments[1], arguments[0]};
        tensor = follow(method->head, swapped, 2, (PyTypeObject *)method->kind);
    }
    else if (names == NULL)
        tensor = follow(method->head, arguments, count, (PyTypeObject *)method->kind);
    if (tensor != NULL || PyErr_Occurred())
        return tensor;
    return PyObject_Vectorcall(method->slow, arguments, flags & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names);
}

static PyObject *method_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    PyObject *head, *kind, *slow;
    int reflected = 0;
    if (!PyArg_ParseTuple(arguments, "OO!O|p", &head, &PyType_Type, &kind, &slow, &reflected))
        return NULL;
    Method *method = (Method *)type->tp_alloc(type, 0);
    if (method == NULL)
        return NULL;
    method->vectorcall = method_call;
    method->head = Py_NewRef(head);
    method->kind = Py_NewRef(kind);
    method->slow = Py_NewRef(slow);
    method->reflected = reflected;
    return (PyObject *)method;
}

static int method_traverse(PyObject *self, visitproc visit, void *arg)
{
    Method *method = (Method *)self;
    Py_VISIT(method->head);
    Py_VISIT(method->kind);
    Py_VISIT(method->slow);
    return 0;
}

static int method_clear(PyObject *self)
{
    Method *method = (Method *)self;
    Py_CLEAR(method->head);
    Py_CLEAR(method->kind);
    Py_CLEAR(method->slow);
    return 0;
}

static void method_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    method_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *method_get(PyObject *self, PyObject *object, PyObject *type)
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* What `help` shows of a method is what it shows of the function. */
static PyObject *method_told(PyObject *self, void *name)
{
    return PyObject_GetAttrString(((Method *)self)->slow, (const char *)name);
}

static PyGetSetDef method_getset[] = {
    {"__name__", method_told, NULL, NULL, "__name__"},
    {"__qualname__", method_told, NULL, NULL, "__qualname__"},
    {"__doc__", method_told, NULL, NULL, "__doc__"},
    {NULL},
};

static PyMemberDef method_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(Method, slow), READONLY, "What tells readers of signatures the parameters."},
    {NULL},
};

static PyTypeObject method_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock.trace._hot.Method",
    .tp_basicsize = sizeof(Method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = method_new,
    .tp_dealloc = method_dealloc,
    .tp_traverse = method_traverse,
    .tp_clear = method_clear,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Method, vectorcall),
    .tp_descr_get = method_get,
    .tp_members = method_members,
    .tp_getset = method_getset,
};

/* Finds the offset at which instances of a class keep one of its __slots__. */
static int offset(PyObject *type, const char *name, Py_ssize_t *found)
{
    PyObject *descriptor = PyObject_GetAttrString(type, name);
    if (descriptor == NULL)
        return -1;
    if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) {
        PyErr_Format(PyExc_TypeError, "%s is not among the __slots__ of %R", name, type);
        Py_DECREF(descriptor);
        return -1;
    }
    *found = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    Py_DECREF(descriptor);
    return 0;
}

static PyObject *configure(PyObject *module, PyObject *arguments)
{
    PyObject *local, *runner, *tensor, *cell, *trace, *node, *files, *test;
    if (!PyArg_ParseTuple(arguments, "OOOOOOO!O", &local, &runner, &tensor, &cell, &trace, &node, &PyDict_Type, &files, &test))
        return NULL;
    if (offset(tensor, "_trace", &tensor_trace) || offset(tensor, "_slot", &tensor_slot) ||
        offset(tensor, "_spec", &tensor_spec) || offset(tensor, "_value", &tensor_value) ||
        offset(trace, "node", &trace_node) || offset(trace, "handles", &trace_handles) ||
        offset(trace, "entered", &trace_entered) || offset(trace, "current", &trace_current) ||
        offset(node, "edges", &node_edges) || offset(node, "slot", &node_slot) ||
        offset(node, "spec", &node_spec) || offset(cell, "_uid", &cell_uid) ||
        offset(trace, "arguments", &trace_arguments) || offset(trace, "variables", &trace_variables) ||
        offset(trace, "again", &trace_again) || offset(trace, "stale", &trace_stale) ||
        offset(trace, "entries", &trace_entries) || offset(trace, "pending", &trace_pending) ||
        offset(trace, "checkpoint", &trace_checkpoint) || offset(trace, "counts", &trace_counts) ||
        offset(trace, "rehearsal", &trace_rehearsal) ||
        offset((PyObject *)Py_TYPE(runner), "several", &engine_several) ||
        offset(tensor, "_past", &tensor_past) || offset(cell, "_version", &cell_version) || offset(cell, "_value", &cell_value) ||
        offset(cell, "_pending", &cell_pending) || offset(cell, "_read_key", &cell_read_key))
        return NULL;
    threads = Py_NewRef(local);
    engine = Py_NewRef(runner);
    library_files = Py_NewRef(files);
    is_library = Py_NewRef(test);
    tensor_type = (PyTypeObject *)Py_NewRef(tensor);
    cell_type = (PyTypeObject *)Py_NewRef(cell);
    trace_type = (PyTypeObject *)Py_NewRef(trace);
    Py_RETURN_NONE;
}

static PyObject *alive(PyObject *module, PyObject *handles)
{
    if (!PyList_CheckExact(handles)) {
        PyErr_SetString(PyExc_TypeError, "alive takes a list");
        return NULL;
    }
    Py_ssize_t count = PyList_GET_SIZE(handles);
    PyObject *result = PyBytes_FromStringAndSize(NULL, count);
    if (result == NULL)
        return NULL;
    char *bytes = PyBytes_AS_STRING(result);
    for (Py_ssize_t i = 0; i < count; i++)
        bytes[i] = Py_REFCNT(PyList_GET_ITEM(handles, i)) > 1;
    return result;
}

static PyObject *unshared(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3 || !PyTuple_CheckExact(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "unshared takes values, a tuple of positions and a number of holders");
        return NULL;
    }
    long holders = PyLong_AsLong(arguments[2]);
    PyObject *values = PySequence_Fast(arguments[0], "unshared takes a sequence of values");
    if (values == NULL)
        return NULL;
    int result = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments[1]); i++) {
        Py_ssize_t position = PyLong_AsSsize_t(PyTuple_GET_ITEM(arguments[1], i));
        if (position < 0 || position >= PySequence_Fast_GET_SIZE(values)) {
            PyErr_SetString(PyExc_IndexError, "unshared: position out of range");
            result = -1;
            break;
        }
        if (Py_REFCNT(PySequence_Fast_GET_ITEM(values, position)) > holders)
            result = 0;
    }
    Py_DECREF(values);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

static PyObject *holds(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "holds takes values and a type");
        return NULL;
    }
    PyObject *values = PySequence_Fast(arguments[0], "holds takes a sequence of values");
    if (values == NULL)
        return NULL;
    int found = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(values) && !found; i++)
        found = Py_IS_TYPE(PySequence_Fast_GET_ITEM(values, i), (PyTypeObject *)arguments[1]);
    Py_DECREF(values);
    return PyBool_FromLong(found);
}

static PyObject *references(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2 || Py_TYPE(arguments[0]) != trace_type) {
        PyErr_SetString(PyExc_TypeError, "references takes a trace and a sequence of tensors and variables");
        return NULL;
    }
    PyObject *operands = PySequence_Fast(arguments[1], "references takes a sequence");
    if (operands == NULL)
        return NULL;
    Py_ssize_t size = PySequence_Fast_GET_SIZE(operands);
    PyObject *slots = PyTuple_New(size);
    for (Py_ssize_t i = 0; slots != NULL && i < size; i++) {
        long kind = 0;
        PyObject *slot = reference(arguments[0], PySequence_Fast_GET_ITEM(operands, i), &kind);
        if (slot == NULL) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "references takes tensors and variables only");
            Py_CLEAR(slots);
        }
        else
            PyTuple_SET_ITEM(slots, i, slot);
    }
    Py_DECREF(operands);
    return slots;
}

/* Counts one more update in a list of one number, which the trace keeps for as long as the update is pending. */
static int tally(PyObject *trace, PyObject *updates)
{
    if (!PyList_CheckExact(updates) || PyList_GET_SIZE(updates) != 1) {
        PyErr_SetString(PyExc_TypeError, "updates are counted in a list of one number");
        return -1;
    }
    PyObject *more = PyLong_FromLong(PyLong_AsLong(PyList_GET_ITEM(updates, 0)) + 1);
    if (more == NULL || PyList_Append(AT(trace, trace_counts), updates) < 0) {
        Py_XDECREF(more);
        return -1;
    }
    return PyList_SetItem(updates, 0, more);
}

static PyObject *assign(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count < 4 || count > 5 || Py_TYPE(arguments[0]) != trace_type || !PyList_CheckExact(arguments[1]) ||
        !PyList_CheckExact(arguments[2]) || PyList_GET_SIZE(arguments[1]) != PyList_GET_SIZE(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "assign takes a trace, a list of variables, a list of slots, a node and a count");
        return NULL;
    }
    PyObject *trace = arguments[0];
    if (PyList_GET_SIZE(arguments[1]) > 0 &&
        (AT(engine, engine_several) != Py_False || AT(trace, trace_rehearsal) != Py_False ||
         PyDict_GET_SIZE(AT(trace, trace_again))))
        Py_RETURN_FALSE;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arguments[1]); i++) {
        PyObject *variable = PyList_GET_ITEM(arguments[1], i);
        if (!PyObject_TypeCheck(variable, cell_type)) {
            PyErr_SetString(PyExc_TypeError, "assign takes variables");
            return NULL;
        }
        if (AT(variable, cell_pending) != Py_None && AT(variable, cell_pending) != trace)
            Py_RETURN_FALSE;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arguments[1]); i++) {
        PyObject *variable = PyList_GET_ITEM(arguments[1], i);
        PyObject *uid = AT(variable, cell_uid);
        PyObject *version = PyLong_FromLong(PyLong_AsLong(AT(variable, cell_version)) + 1);
        if (version == NULL || PyDict_SetItem(AT(trace, trace_current), uid, PyList_GET_ITEM(arguments[2], i)) < 0 ||
            PyDict_SetItem(AT(trace, trace_pending), uid, variable) < 0) {
            Py_XDECREF(version);
            return NULL;
        }
        put(variable, cell_version, version);
        Py_DECREF(version);
        put(variable, cell_pending, trace);
    }
    put(trace, trace_node, arguments[3]);
    put(trace, trace_checkpoint, arguments[3]);
    if (count == 5 && tally(trace, arguments[4]) < 0)
        return NULL;
    Py_RETURN_TRUE;
}

static PyObject *at(PyObject *list, PyObject *indices, Py_ssize_t i, PyTypeObject *type)
{
    Py_ssize_t index = PyLong_AsSsize_t(PyTuple_GET_ITEM(indices, i));
    if (index < 0 || index >= PyList_GET_SIZE(list) || !PyObject_TypeCheck(PyList_GET_ITEM(list, index), type)) {
        PyErr_SetString(PyExc_IndexError, "settle: an index out of range, or an object of another class");
        return NULL;
    }
    return PyList_GET_ITEM(list, index);
}

static PyObject *settle(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    /* settle(handles, computed, variables, written, outputs) */
    if (count != 5 || !PyList_CheckExact(arguments[0]) || !PyTuple_CheckExact(arguments[1]) ||
        !PyList_CheckExact(arguments[2]) || !PyTuple_CheckExact(arguments[3])) {
        PyErr_SetString(PyExc_TypeError, "settle takes a list, a tuple, a list, a tuple and a sequence");
        return NULL;
    }
    PyObject *outputs = PySequence_Fast(arguments[4], "settle takes a sequence of outputs");
    if (outputs == NULL)
        return NULL;
    Py_ssize_t computed = PyTuple_GET_SIZE(arguments[1]), written = PyTuple_GET_SIZE(arguments[3]);
    if (PySequence_Fast_GET_SIZE(outputs) < computed + written) {
        PyErr_SetString(PyExc_ValueError, "settle: fewer outputs than values to settle");
        Py_DECREF(outputs);
        return NULL;
    }
    PyObject *owner = outputs;
    for (Py_ssize_t i = 0; i < computed && owner != NULL; i++)
        if ((owner = at(arguments[0], arguments[1], i, tensor_type)) != NULL)
            put(owner, tensor_value, PySequence_Fast_GET_ITEM(outputs, i));
    for (Py_ssize_t i = 0; i < written && owner != NULL; i++)
        if ((owner = at(arguments[2], arguments[3], i, cell_type)) != NULL) {
            put(owner, cell_value, PySequence_Fast_GET_ITEM(outputs, computed + i));
            put(owner, cell_pending, Py_None);
        }
    Py_DECREF(outputs);
    if (owner == NULL)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *release(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3 || !PyList_CheckExact(arguments[0]) || !PyTuple_CheckExact(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "release takes a list of handles, a tuple of positions and a past");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments[1]); i++) {
        PyObject *handle = at(arguments[0], arguments[1], i, tensor_type);
        if (handle == NULL)
            return NULL;
        put(handle, tensor_trace, Py_None);
        put(handle, tensor_past, arguments[2]);
    }
    Py_RETURN_NONE;
}

static PyObject *launch(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3 || !PyList_CheckExact(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "launch takes a list, a callable and a sequence of arguments");
        return NULL;
    }
    PyObject *values = PySequence_Fast(arguments[2], "launch takes a sequence of arguments");
    if (values == NULL)
        return NULL;
    PyObject *result = PyObject_Vectorcall(arguments[1], PySequence_Fast_ITEMS(values), PySequence_Fast_GET_SIZE(values), NULL);
    Py_DECREF(values);
    if (result == NULL)
        return NULL;
    if (PyList_Append(arguments[0], result) < 0)
        Py_CLEAR(result);
    return result;
}

static PyMethodDef functions[] = {
    {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, "See penstock.trace.fast_path.launch."},
    {"assign", (PyCFunction)(void (*)(void))assign, METH_FASTCALL, "See penstock.trace.fast_path.assign."},
    {"settle", (PyCFunction)(void (*)(void))settle, METH_FASTCALL, "See penstock.trace.fast_path.settle."},
    {"release", (PyCFunction)(void (*)(void))release, METH_FASTCALL, "See penstock.trace.fast_path.release."},
    {"references", (PyCFunction)(void (*)(void))references, METH_FASTCALL, "See penstock.trace.fast_path.references."},
    {"holds", (PyCFunction)(void (*)(void))holds, METH_FASTCALL, "See penstock.trace.fast_path.holds."},
    {"alive", alive, METH_O, "See penstock.trace.fast_path.alive."},
    {"unshared", (PyCFunction)(void (*)(void))unshared, METH_FASTCALL, "See penstock.trace.fast_path.unshared."},
    {"configure", configure, METH_VARARGS, "Tells the classes whose instances are handled here."},
    {"find", (PyCFunction)(void (*)(void))find, METH_FASTCALL, "See penstock.trace.fast_path.find."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "penstock.trace._hot", "The hot path of the recorder; see penstock.trace.fast_path.", -1, functions,
};

PyMODINIT_FUNC PyInit__hot(void)
{
    name_trace = PyUnicode_InternFromString("trace");
    word_enter = PyUnicode_InternFromString("enter");
    name_read = PyUnicode_InternFromString("read");
    name_enter = PyUnicode_InternFromString("enter");
    name_tensor_class = PyUnicode_InternFromString("_tensor_class");
    if (PyType_Ready(&method_type) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || PyModule_AddObjectRef(module, "Method", (PyObject *)&method_type) < 0)
        return NULL;
    return module;
}
