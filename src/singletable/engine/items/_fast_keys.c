/* The stored key of an item whose key attributes are short ASCII strings, which are always valid.

   This module is the compiled form of `_fast_key` in item_keys.py. It raises NotOnFastPath for every other key. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* Equal to the version in INTERFACE_VERSIONS of fast_path.py. Increase both when arguments or results change. */
#define INTERFACE_VERSION 1
/* Equal to FAST_CHARACTERS_MAX in item_keys.py; a test compares them. */
#define CHARACTERS_MAX 1024
/* A stored key starts with the hash and the length of the partition key; entry_keys.py describes the format. */
#define HEAD_BYTES 6

typedef struct {
    PyObject *not_on_fast_path; /* the exception of fast_path.py */
    PyObject *text_kind; /* "S" */
} State;

static unsigned int crc_of_byte[256];

static void
fill_crc_table(void)
{
    for (unsigned int byte = 0; byte < 256; byte++) {
        unsigned int crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
        crc_of_byte[byte] = crc;
    }
}

/* Return the same checksum as zlib.crc32. */
static unsigned int
crc32_of(const unsigned char *bytes, Py_ssize_t length)
{
    unsigned int crc = 0xFFFFFFFFu;
    for (Py_ssize_t i = 0; i < length; i++)
        crc = crc_of_byte[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
    return crc ^ 0xFFFFFFFFu;
}

/* Return a borrowed reference to the string of an attribute. Return NULL without an exception if the value is not a
   short ASCII string, and NULL with an exception if the lookup fails. */
static PyObject *
short_text(const State *state, PyObject *item, PyObject *name)
{
    PyObject *value = PyDict_GetItemWithError(item, name);
    if (value == NULL || !PyDict_CheckExact(value) || PyDict_GET_SIZE(value) != 1)
        return NULL;
    PyObject *text = PyDict_GetItemWithError(value, state->text_kind);
    if (text == NULL || !PyUnicode_CheckExact(text) || !PyUnicode_IS_ASCII(text))
        return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    return length > 0 && length <= CHARACTERS_MAX ? text : NULL;
}

static PyObject *
fast_key(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !PyDict_CheckExact(args[0])) {
        PyErr_SetString(PyExc_TypeError, "fast_key() takes an item and the names of its two key attributes");
        return NULL;
    }
    const State *state = PyModule_GetState(module);
    PyObject *partition = short_text(state, args[0], args[1]);
    PyObject *sort = partition == NULL || args[2] == Py_None ? NULL : short_text(state, args[0], args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (partition == NULL || (sort == NULL && args[2] != Py_None)) {
        PyErr_SetString(state->not_on_fast_path, "a key attribute is not a short ASCII string");
        return NULL;
    }
    const unsigned char *bytes = PyUnicode_1BYTE_DATA(partition);
    Py_ssize_t length = PyUnicode_GET_LENGTH(partition), sort_length = sort == NULL ? 0 : PyUnicode_GET_LENGTH(sort);
    PyObject *key = PyBytes_FromStringAndSize(NULL, HEAD_BYTES + length + sort_length);
    if (key == NULL)
        return NULL;
    unsigned int crc = crc32_of(bytes, length);
    unsigned char *to = (unsigned char *)PyBytes_AS_STRING(key);
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(crc >> (24 - 8 * i));
    to[4] = (unsigned char)(length >> 8);
    to[5] = (unsigned char)length;
    memcpy(to + HEAD_BYTES, bytes, (size_t)length);
    if (sort != NULL)
        memcpy(to + HEAD_BYTES + length, PyUnicode_1BYTE_DATA(sort), (size_t)sort_length);
    return key;
}

static PyMethodDef functions[] = {
    {"fast_key", (PyCFunction)(void (*)(void))fast_key, METH_FASTCALL,
     PyDoc_STR("Return the stored key of an item whose key attributes are short ASCII strings.")},
    {NULL},
};

static int
exec_module(PyObject *module)
{
    fill_crc_table();
    State *state = PyModule_GetState(module);
    PyObject *fast_path = PyImport_ImportModule("singletable.values.fast_path");
    if (fast_path == NULL)
        return -1;
    state->not_on_fast_path = PyObject_GetAttrString(fast_path, "NotOnFastPath");
    Py_DECREF(fast_path);
    if (state->not_on_fast_path == NULL)
        return -1;
    state->text_kind = PyUnicode_InternFromString("S");
    if (state->text_kind == NULL ||
        PyModule_AddIntConstant(module, "INTERFACE_VERSION", INTERFACE_VERSION) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "CHARACTERS_MAX", CHARACTERS_MAX);
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
    Py_CLEAR(state->text_kind);
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
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_USED}, /* the module borrows references from dicts without locking them */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_fast_keys",
    .m_doc = PyDoc_STR("The compiled fast path for the stored key of an item."),
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC
PyInit__fast_keys(void)
{
    return PyModuleDef_Init(&definition);
}
