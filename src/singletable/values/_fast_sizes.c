/* The sizes of valid items and attribute values.

   This module is the compiled form of `_values_size` in item_validation.py. For invalid input, the module and its
   callbacks for numbers, binaries and sets raise NotOnFastPath. The checks in Python then find the error and its
   message. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Equal to the version in INTERFACE_VERSIONS of fast_path.py. Increase both when arguments or results change. */
#define INTERFACE_VERSION 1
/* Equal to the limits in limits.py; a test compares them. */
#define NAME_BYTES_MAX 65535
#define LEVELS_MAX 32
#define NUMBER_DIGITS_MAX 38
/* Functions return this number instead of a size; `result` then raises NotOnFastPath. */
#define NOT_ON_FAST_PATH (-1)

typedef struct {
    PyObject *not_on_fast_path; /* the exception of fast_path.py */
} State;

typedef struct {
    PyObject *number; /* (text) -> (canonical text, size) */
    PyObject *other;  /* (type, content) -> size */
} Callbacks;

/* Return the size of a string in UTF-8. An unpaired surrogate has no encoding, so it is not on the fast path. */
static Py_ssize_t
text_size(PyObject *text)
{
    if (!PyUnicode_CheckExact(text))
        return NOT_ON_FAST_PATH;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_IS_ASCII(text))
        return length;
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        if (character >= 0xD800 && character <= 0xDFFF)
            return NOT_ON_FAST_PATH;
        size += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }
    return size;
}

/* Return the size of a canonical positive integer, or 0 for any other number. */
static Py_ssize_t
canonical_int_size(PyObject *text)
{
    if (!PyUnicode_CheckExact(text) || !PyUnicode_IS_ASCII(text))
        return 0;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), significant = 0;
    const Py_UCS1 *digits = PyUnicode_1BYTE_DATA(text);
    if (length == 0 || length > NUMBER_DIGITS_MAX || digits[0] == '0')
        return 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return 0;
        if (digits[i] != '0')
            significant = i + 1;
    }
    return 1 + (significant + 1) / 2;
}

/* Return the size of any number, and replace the number in its value with its canonical form. */
static Py_ssize_t
number_size(PyObject *value, PyObject *kind, PyObject *text, const Callbacks *callbacks)
{
    Py_ssize_t size = canonical_int_size(text);
    if (size)
        return size;
    PyObject *answer = PyObject_CallOneArg(callbacks->number, text);
    if (answer == NULL)
        return -1;
    size = -1;
    if (PyTuple_CheckExact(answer) && PyTuple_GET_SIZE(answer) == 2) {
        PyObject *canonical = PyTuple_GET_ITEM(answer, 0);
        if (canonical == text || PyDict_SetItem(value, kind, canonical) == 0)
            size = PyLong_AsSsize_t(PyTuple_GET_ITEM(answer, 1));
    }
    Py_DECREF(answer);
    return size < 0 ? NOT_ON_FAST_PATH : size;
}

static Py_ssize_t
other_size(PyObject *kind, PyObject *content, const Callbacks *callbacks)
{
    PyObject *answer = PyObject_CallFunctionObjArgs(callbacks->other, kind, content, NULL);
    if (answer == NULL)
        return -1;
    Py_ssize_t size = PyLong_AsSsize_t(answer);
    Py_DECREF(answer);
    return size < 0 ? NOT_ON_FAST_PATH : size;
}

static Py_ssize_t members_size(PyObject *members, const Callbacks *callbacks, int level);
static Py_ssize_t elements_size(PyObject *elements, const Callbacks *callbacks, int level);

static Py_ssize_t
value_size(PyObject *value, const Callbacks *callbacks, int level)
{
    PyObject *kind, *content;
    Py_ssize_t at = 0;
    if (!PyDict_CheckExact(value) || PyDict_GET_SIZE(value) != 1 || !PyDict_Next(value, &at, &kind, &content))
        return NOT_ON_FAST_PATH;
    if (!PyUnicode_CheckExact(kind) || !PyUnicode_IS_ASCII(kind))
        return NOT_ON_FAST_PATH;
    if (PyUnicode_GET_LENGTH(kind) == 1) {
        switch (PyUnicode_1BYTE_DATA(kind)[0]) {
        case 'S':
            return text_size(content);
        case 'N':
            return number_size(value, kind, content, callbacks);
        case 'M':
            return level == LEVELS_MAX ? NOT_ON_FAST_PATH : members_size(content, callbacks, level + 1);
        case 'L':
            return level == LEVELS_MAX ? NOT_ON_FAST_PATH : elements_size(content, callbacks, level + 1);
        default:
            return other_size(kind, content, callbacks);
        }
    }
    if (PyUnicode_CompareWithASCIIString(kind, "BOOL") == 0)
        return PyBool_Check(content) ? 1 : NOT_ON_FAST_PATH;
    if (PyUnicode_CompareWithASCIIString(kind, "NULL") == 0)
        return content == Py_True ? 1 : NOT_ON_FAST_PATH;
    return other_size(kind, content, callbacks);
}

/* Return the total size of the names and values of an item or a map. */
static Py_ssize_t
named_size(PyObject *values, const Callbacks *callbacks, int level)
{
    PyObject *name, *value;
    Py_ssize_t at = 0, size = 0;
    while (PyDict_Next(values, &at, &name, &value)) {
        Py_ssize_t of_name = text_size(name);
        if (of_name <= 0 || of_name > NAME_BYTES_MAX)
            return NOT_ON_FAST_PATH;
        /* No callback changes the map. Should one ever do so, this reference keeps the value alive. */
        Py_INCREF(value);
        Py_ssize_t of_value = value_size(value, callbacks, level);
        Py_DECREF(value);
        if (of_value < 0)
            return -1;
        size += of_name + of_value;
    }
    return size;
}

static Py_ssize_t
members_size(PyObject *members, const Callbacks *callbacks, int level)
{
    if (!PyDict_CheckExact(members))
        return NOT_ON_FAST_PATH;
    Py_ssize_t size = named_size(members, callbacks, level);
    return size < 0 ? -1 : 3 + PyDict_GET_SIZE(members) + size;
}

static Py_ssize_t
elements_size(PyObject *elements, const Callbacks *callbacks, int level)
{
    if (!PyList_CheckExact(elements))
        return NOT_ON_FAST_PATH;
    Py_ssize_t size = 3 + PyList_GET_SIZE(elements);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(elements); i++) {
        PyObject *element = Py_NewRef(PyList_GET_ITEM(elements, i));
        Py_ssize_t of_element = value_size(element, callbacks, level);
        Py_DECREF(element);
        if (of_element < 0)
            return -1;
        size += of_element;
    }
    return size;
}

/* Return a size as a Python object, or NULL with an exception: that of a callback, otherwise NotOnFastPath. */
static PyObject *
result(PyObject *module, Py_ssize_t size)
{
    if (size >= 0)
        return PyLong_FromSsize_t(size);
    if (!PyErr_Occurred()) {
        const State *state = PyModule_GetState(module);
        PyErr_SetString(state->not_on_fast_path, "not a valid attribute value");
    }
    return NULL;
}

static PyObject *
size_of_item(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "size_of_item() takes an item and two callbacks");
        return NULL;
    }
    Callbacks callbacks = {args[1], args[2]};
    return result(module, PyDict_CheckExact(args[0]) ? named_size(args[0], &callbacks, 1) : NOT_ON_FAST_PATH);
}

static PyObject *
size_of_value(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "size_of_value() takes a value and two callbacks");
        return NULL;
    }
    Callbacks callbacks = {args[1], args[2]};
    return result(module, value_size(args[0], &callbacks, 1));
}

static PyMethodDef functions[] = {
    {"size_of_item", (PyCFunction)(void (*)(void))size_of_item, METH_FASTCALL,
     PyDoc_STR("Return the size of a valid item, and convert its numbers to canonical form in place.")},
    {"size_of_value", (PyCFunction)(void (*)(void))size_of_value, METH_FASTCALL,
     PyDoc_STR("Return the size of one valid attribute value, in the same way.")},
    {NULL},
};

static int
exec_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    PyObject *fast_path = PyImport_ImportModule("singletable.values.fast_path");
    if (fast_path == NULL)
        return -1;
    state->not_on_fast_path = PyObject_GetAttrString(fast_path, "NotOnFastPath");
    Py_DECREF(fast_path);
    if (state->not_on_fast_path == NULL ||
        PyModule_AddIntConstant(module, "INTERFACE_VERSION", INTERFACE_VERSION) < 0 ||
        PyModule_AddIntConstant(module, "NAME_BYTES_MAX", NAME_BYTES_MAX) < 0 ||
        PyModule_AddIntConstant(module, "LEVELS_MAX", LEVELS_MAX) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "NUMBER_DIGITS_MAX", NUMBER_DIGITS_MAX);
}

static int
traverse_module(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->not_on_fast_path);
    return 0;
}

static int
clear_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->not_on_fast_path);
    return 0;
}

static void
free_module(void *module)
{
    (void)clear_module(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_USED}, /* the module iterates over dicts without locking them */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_fast_sizes",
    .m_doc = PyDoc_STR("The compiled fast path for the sizes of valid attribute values."),
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC
PyInit__fast_sizes(void)
{
    return PyModuleDef_Init(&definition);
}
