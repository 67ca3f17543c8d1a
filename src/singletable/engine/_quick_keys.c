/* The stored key of an item whose key attributes are short ASCII texts, with which nothing can be wrong.

   The compiled form of `_plain` in keys.py: it answers None for every other key, which is then looked at with care. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* What keys.py asks for: raised with every change of what is given or returned. */
#define FORM 1
/* As PLAIN_CHARACTERS_MAX in keys.py; a test compares them. */
#define CHARACTERS_MAX 1024
/* The hash of the partition key and its length: see entry_key.py. */
#define HEAD_BYTES 6

static PyObject *text_kind; /* "S" */
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

/* The checksum that zlib's crc32 gives. */
static unsigned int
crc32_of(const unsigned char *bytes, Py_ssize_t length)
{
    unsigned int crc = 0xFFFFFFFFu;
    for (Py_ssize_t i = 0; i < length; i++)
        crc = crc_of_byte[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
    return crc ^ 0xFFFFFFFFu;
}

/* The text of an attribute, borrowed; NULL when it is not plain, with or without an error. */
static PyObject *
plain_text(PyObject *item, PyObject *name)
{
    PyObject *value = PyDict_GetItemWithError(item, name);
    if (value == NULL || !PyDict_CheckExact(value) || PyDict_GET_SIZE(value) != 1)
        return NULL;
    PyObject *text = PyDict_GetItemWithError(value, text_kind);
    if (text == NULL || !PyUnicode_CheckExact(text) || !PyUnicode_IS_ASCII(text))
        return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    return length > 0 && length <= CHARACTERS_MAX ? text : NULL;
}

static PyObject *
plain_key(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !PyDict_CheckExact(args[0])) {
        PyErr_SetString(PyExc_TypeError, "an item, and the names of its partition key and of its sort key or None");
        return NULL;
    }
    PyObject *partition = plain_text(args[0], args[1]);
    PyObject *sort = partition == NULL || args[2] == Py_None ? NULL : plain_text(args[0], args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (partition == NULL || (sort == NULL && args[2] != Py_None))
        Py_RETURN_NONE;
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
    {"plain_key", (PyCFunction)(void (*)(void))plain_key, METH_FASTCALL,
     PyDoc_STR("The stored key of an item, if that is plain to see; else None.")},
    {NULL},
};

static int
exec_module(PyObject *module)
{
    fill_crc_table();
    if (text_kind == NULL)
        text_kind = PyUnicode_InternFromString("S");
    if (text_kind == NULL || PyModule_AddIntConstant(module, "FORM", FORM) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "CHARACTERS_MAX", CHARACTERS_MAX);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_quick_keys",
    .m_doc = PyDoc_STR("The stored key of an item whose key attributes are short ASCII texts."),
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__quick_keys(void)
{
    return PyModuleDef_Init(&definition);
}
