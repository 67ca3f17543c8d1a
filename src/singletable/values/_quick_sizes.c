/* The quick pass over attribute values: their sizes, where all of them are as DynamoDB wants them.

   It knows only what is right, as `_quick_values` in accept.py does, of which it is the compiled form: whatever it does
   not expect raises ValueError, or what the functions raise that it asks about numbers, binaries and sets. Then the item
   is looked at again by checks.py, which knows what to say. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* What accept.py asks for: raised with every change of what is given or returned. */
#define FORM 1
/* As in limits.py; a test compares them. */
#define NAME_BYTES_MAX 65535
#define LEVELS_MAX 32
#define NUMBER_DIGITS_MAX 38

/* Functions of Python: a number's canonical text and size, and the size of any other value by its kind. */
typedef struct {
    PyObject *number;
    PyObject *other;
} Ask;

static Py_ssize_t
unexpected(void)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "not plainly right");
    return -1;
}

/* The bytes of a text in UTF-8; half a pair of surrogates has none. */
static Py_ssize_t
text_size(PyObject *text)
{
    if (!PyUnicode_CheckExact(text))
        return unexpected();
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_IS_ASCII(text))
        return length;
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        if (character >= 0xD800 && character <= 0xDFFF)
            return unexpected();
        size += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }
    return size;
}

/* The size of a whole number that is canonical as it stands; 0 for all others. */
static Py_ssize_t
plain_number_size(PyObject *text)
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

/* The size of any number, which is written into its value in plain notation. */
static Py_ssize_t
number_size(PyObject *value, PyObject *kind, PyObject *text, const Ask *ask)
{
    Py_ssize_t size = plain_number_size(text);
    if (size)
        return size;
    PyObject *told = PyObject_CallOneArg(ask->number, text);
    if (told == NULL)
        return -1;
    size = -1;
    if (PyTuple_CheckExact(told) && PyTuple_GET_SIZE(told) == 2) {
        PyObject *canonical = PyTuple_GET_ITEM(told, 0);
        if (canonical == text || PyDict_SetItem(value, kind, canonical) == 0)
            size = PyLong_AsSsize_t(PyTuple_GET_ITEM(told, 1));
    }
    Py_DECREF(told);
    return size < 0 ? unexpected() : size;
}

static Py_ssize_t
other_size(PyObject *kind, PyObject *content, const Ask *ask)
{
    PyObject *told = PyObject_CallFunctionObjArgs(ask->other, kind, content, NULL);
    if (told == NULL)
        return -1;
    Py_ssize_t size = PyLong_AsSsize_t(told);
    Py_DECREF(told);
    return size < 0 ? unexpected() : size;
}

static Py_ssize_t members_size(PyObject *members, const Ask *ask, int level);
static Py_ssize_t elements_size(PyObject *elements, const Ask *ask, int level);

static Py_ssize_t
value_size(PyObject *value, const Ask *ask, int level)
{
    PyObject *kind, *content;
    Py_ssize_t at = 0;
    if (!PyDict_CheckExact(value) || PyDict_GET_SIZE(value) != 1 || !PyDict_Next(value, &at, &kind, &content))
        return unexpected();
    if (!PyUnicode_CheckExact(kind) || !PyUnicode_IS_ASCII(kind))
        return unexpected();
    if (PyUnicode_GET_LENGTH(kind) == 1) {
        switch (PyUnicode_1BYTE_DATA(kind)[0]) {
        case 'S':
            return text_size(content);
        case 'N':
            return number_size(value, kind, content, ask);
        case 'M':
            return level == LEVELS_MAX ? unexpected() : members_size(content, ask, level + 1);
        case 'L':
            return level == LEVELS_MAX ? unexpected() : elements_size(content, ask, level + 1);
        default:
            return other_size(kind, content, ask);
        }
    }
    if (PyUnicode_CompareWithASCIIString(kind, "BOOL") == 0)
        return PyBool_Check(content) ? 1 : unexpected();
    if (PyUnicode_CompareWithASCIIString(kind, "NULL") == 0)
        return content == Py_True ? 1 : unexpected();
    return other_size(kind, content, ask);
}

/* The names and values of an item or a map. */
static Py_ssize_t
named_size(PyObject *values, const Ask *ask, int level)
{
    PyObject *name, *value;
    Py_ssize_t at = 0, size = 0;
    while (PyDict_Next(values, &at, &name, &value)) {
        Py_ssize_t of_name = text_size(name);
        if (of_name <= 0 || of_name > NAME_BYTES_MAX)
            return unexpected();
        /* What is asked in Python cannot reach the map, but holding the value costs nothing. */
        Py_INCREF(value);
        Py_ssize_t of_value = value_size(value, ask, level);
        Py_DECREF(value);
        if (of_value < 0)
            return -1;
        size += of_name + of_value;
    }
    return size;
}

static Py_ssize_t
members_size(PyObject *members, const Ask *ask, int level)
{
    if (!PyDict_CheckExact(members))
        return unexpected();
    Py_ssize_t size = named_size(members, ask, level);
    return size < 0 ? -1 : 3 + PyDict_GET_SIZE(members) + size;
}

static Py_ssize_t
elements_size(PyObject *elements, const Ask *ask, int level)
{
    if (!PyList_CheckExact(elements))
        return unexpected();
    Py_ssize_t size = 3 + PyList_GET_SIZE(elements);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(elements); i++) {
        PyObject *element = Py_NewRef(PyList_GET_ITEM(elements, i));
        Py_ssize_t of_element = value_size(element, ask, level);
        Py_DECREF(element);
        if (of_element < 0)
            return -1;
        size += of_element;
    }
    return size;
}

static PyObject *
size_of_item(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "an item, and what to ask about numbers and about the rest");
        return NULL;
    }
    Ask ask = {args[1], args[2]};
    Py_ssize_t size = PyDict_CheckExact(args[0]) ? named_size(args[0], &ask, 1) : unexpected();
    return size < 0 ? NULL : PyLong_FromSsize_t(size);
}

static PyObject *
size_of_value(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "a value, and what to ask about numbers and about the rest");
        return NULL;
    }
    Ask ask = {args[1], args[2]};
    Py_ssize_t size = value_size(args[0], &ask, 1);
    return size < 0 ? NULL : PyLong_FromSsize_t(size);
}

static PyMethodDef functions[] = {
    {"size_of_item", (PyCFunction)(void (*)(void))size_of_item, METH_FASTCALL,
     PyDoc_STR("The bytes of an item that is plainly right; its numbers are written in plain notation.")},
    {"size_of_value", (PyCFunction)(void (*)(void))size_of_value, METH_FASTCALL,
     PyDoc_STR("The same of one value, without a name.")},
    {NULL},
};

static int
exec_module(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "FORM", FORM) < 0 ||
        PyModule_AddIntConstant(module, "NAME_BYTES_MAX", NAME_BYTES_MAX) < 0 ||
        PyModule_AddIntConstant(module, "LEVELS_MAX", LEVELS_MAX) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "NUMBER_DIGITS_MAX", NUMBER_DIGITS_MAX);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_quick_sizes",
    .m_doc = PyDoc_STR("The quick pass over attribute values: their sizes, where all are as DynamoDB wants them."),
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__quick_sizes(void)
{
    return PyModuleDef_Init(&definition);
}
