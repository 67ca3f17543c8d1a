/* Decodes items in DynamoDB JSON to tuples or pydantic models, in one pass over the bytes of a response.

   This fast path handles only input that matches its columns exactly. For invalid, rare or
   differently formatted input, it raises NotOnFastPath; msgspec and Python then read the same bytes and report errors.
   Both paths must produce equal values: tests/client/items/test_fast_rows.py compares them. */

#include "_fast_rows.h"

/* Keep equal to INTERFACE_VERSIONS in fast_path.py; increase both when the arguments or results change. */
#define INTERFACE_VERSION 2

static const struct {
    const char *name;
    Kind kind;
} KINDS[] = {
    {"constant", CONSTANT}, {"key", KEY},         {"text", TEXT}, {"choice", CHOICE}, {"moment", MOMENT}, {"int", INT},
    {"float", FLOAT},       {"decimal", DECIMAL}, {"bool", BOOL}, {"list", LIST},     {"raw", RAW},
};

typedef struct {
    PyObject *not_on_fast_path; /* the exception of fast_path.py */
    PyTypeObject *rows_type;
} State;

/* ---- Errors ---- */

/* Clear the current exception and return it; return NULL if there is none. */
static PyObject *
raised_exception(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL)
        return NULL;
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL)
        PyException_SetTraceback(value, traceback);
    Py_DECREF(type);
    Py_XDECREF(traceback);
    return value;
#endif
}

static void
raise_exception(PyObject *exception)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(exception);
#else
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
#endif
}

/* Raise NotOnFastPath. If a Python exception is set, for example from a user's class, it becomes the cause. */
static PyObject *
leave_fast_path(const State *state)
{
    if (PyErr_Occurred() && (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError) ||
                             PyErr_ExceptionMatches(state->not_on_fast_path)))
        return NULL;
    PyObject *cause = raised_exception();
    PyErr_SetString(state->not_on_fast_path, "an item does not match its columns exactly");
    if (cause != NULL) {
        PyObject *exception = raised_exception();
        PyException_SetCause(exception, cause);
        raise_exception(exception);
    }
    return NULL;
}

/* ---- Rows ---- */

static PyObject *
Rows_next(Rows *rows)
{
    if (rows->is_over)
        return NULL;
    PyObject *made = next_row(rows);
    if (made != NULL)
        return made;
    rows->is_over = 1;
    return leave_fast_path(PyType_GetModuleState(Py_TYPE(rows)));
}

static PyObject *
Rows_position(Rows *rows, void *closure)
{
    return PyLong_FromSsize_t(rows->at - (const char *)rows->data.buf);
}

static void
Rows_dealloc(Rows *rows)
{
    PyTypeObject *type = Py_TYPE(rows);
    PyBuffer_Release(&rows->data);
    Py_XDECREF(rows->reader);
    type->tp_free((PyObject *)rows);
    Py_DECREF(type);
}

static PyGetSetDef Rows_attributes[] = {
    {"position", (getter)Rows_position, NULL, PyDoc_STR("The number of bytes read so far."), NULL},
    {NULL},
};

static PyType_Slot Rows_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("An iterator over the rows in some bytes.")},
    {Py_tp_dealloc, Rows_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, Rows_next},
    {Py_tp_getset, Rows_attributes},
    {0, NULL},
};

static PyType_Spec Rows_spec = {
    .name = "singletable.client.items._fast_rows.Rows",
    .basicsize = sizeof(Rows),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = Rows_slots,
};

/* ---- Readers ---- */

static int
kind_named(PyObject *name, Kind *kind)
{
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        if (PyUnicode_CompareWithASCIIString(name, KINDS[i].name) == 0) {
            *kind = KINDS[i].kind;
            return 1;
        }
    }
    PyErr_Format(PyExc_ValueError, "%R is not a kind of column", name);
    return 0;
}

/* Fill a column from (name, kind, element, known, optional, nullable, keeps_null). */
static int
fill_column(Column *column, PyObject *given, Py_ssize_t number, Py_ssize_t *width)
{
    PyObject *name, *kind, *element, *known;
    if (!PyArg_ParseTuple(given, "UUUOppp", &name, &kind, &element, &known, &column->optional, &column->nullable,
                          &column->keeps_null))
        return 0;
    if (!kind_named(kind, &column->kind) || !kind_named(element, &column->element))
        return 0;
    Kind inner = column->kind == LIST ? column->element : column->kind;
    int fits = inner == CHOICE     ? PyDict_Check(known)
               : inner == CONSTANT ? PyBytes_Check(known)
               : inner == KEY      ? PyBytes_Check(known) && PyBytes_GET_SIZE(known) > 0
               : inner == RAW      ? PyCallable_Check(known)
                                   : known == Py_None;
    if (!fits || inner == LIST) {
        PyErr_Format(PyExc_ValueError, "a column of kind %U cannot use %R, and a list cannot contain lists", kind, known);
        return 0;
    }
    int is_checked = column->kind == CONSTANT || column->kind == KEY;
    if (is_checked && (column->optional || column->nullable || number >= CONSTANTS_MAX)) {
        PyErr_SetString(PyExc_ValueError, "a constant or a key must be in every item, and among the first 64 columns");
        return 0;
    }
    column->name_bytes = PyUnicode_AsUTF8AndSize(name, &column->name_length);
    if (column->name_bytes == NULL)
        return 0;
    column->is_literal = 1;
    for (Py_ssize_t i = 0; i < column->name_length; i++) {
        unsigned char byte = (unsigned char)column->name_bytes[i];
        if (byte < 0x20 || byte == '"' || byte == '\\')
            column->is_literal = 0;
    }
    column->name = Py_NewRef(name);
    column->known = known == Py_None ? NULL : Py_NewRef(known);
    column->place = is_checked ? -1 : (*width)++;
    return 1;
}

/* Fill the model from (class, names, fields, always, members); None means that rows are tuples. */
static int
fill_model(RowReader *reader, PyObject *given)
{
    if (given == Py_None)
        return 1;
    PyObject *cls, *names, *fields, *always, *members;
    if (!PyArg_ParseTuple(given, "O!O!O!O!O!", &PyType_Type, &cls, &PyTuple_Type, &names, &PyDict_Type, &fields,
                          &PyFrozenSet_Type, &always, &PyTuple_Type, &members))
        return 0;
    reader->model = (PyTypeObject *)Py_NewRef(cls);
    reader->names = Py_NewRef(names);
    reader->fields = Py_NewRef(fields);
    reader->always = Py_NewRef(always);
    reader->members = Py_NewRef(members);
    int fits = reader->model->tp_alloc == PyType_GenericAlloc && PyTuple_GET_SIZE(reader->names) == reader->width &&
               PyTuple_GET_SIZE(reader->members) == MEMBERS;
    for (Py_ssize_t i = 0; fits && i < MEMBERS; i++)
        fits = Py_TYPE(PyTuple_GET_ITEM(reader->members, i))->tp_descr_set != NULL;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "a model needs a name for each column, and four members");
        return 0;
    }
    for (Py_ssize_t i = 0; i < reader->count; i++) {
        Column *column = &reader->columns[i];
        if (column->place < 0)
            continue;
        int is_always = PySet_Contains(reader->always, PyTuple_GET_ITEM(reader->names, column->place));
        if (is_always < 0)
            return 0;
        column->is_noted = !is_always;
    }
    return 1;
}

static int
RowReader_traverse(RowReader *reader, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(reader));
    for (Py_ssize_t i = 0; i < reader->count; i++)
        Py_VISIT(reader->columns[i].known);
    Py_VISIT(reader->absent);
    Py_VISIT(reader->decimal);
    Py_VISIT(reader->model);
    Py_VISIT(reader->names);
    Py_VISIT(reader->fields);
    Py_VISIT(reader->always);
    Py_VISIT(reader->members);
    return 0;
}

static int
RowReader_clear(RowReader *reader)
{
    for (Py_ssize_t i = 0; i < reader->count; i++)
        Py_CLEAR(reader->columns[i].known);
    Py_CLEAR(reader->absent);
    Py_CLEAR(reader->decimal);
    Py_CLEAR(reader->model);
    Py_CLEAR(reader->names);
    Py_CLEAR(reader->fields);
    Py_CLEAR(reader->always);
    Py_CLEAR(reader->members);
    return 0;
}

static void
RowReader_dealloc(RowReader *reader)
{
    PyTypeObject *type = Py_TYPE(reader);
    PyObject_GC_UnTrack(reader);
    (void)RowReader_clear(reader);
    for (Py_ssize_t i = 0; i < reader->count; i++)
        Py_XDECREF(reader->columns[i].name);
    PyMem_Free(reader->columns);
    type->tp_free((PyObject *)reader);
    Py_DECREF(type);
}

static int
fill_reader(RowReader *reader, PyObject *columns, PyObject *model)
{
    Py_ssize_t count = PyTuple_GET_SIZE(columns);
    reader->columns = PyMem_Calloc(count ? (size_t)count : 1, sizeof(Column));
    if (reader->columns == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *each = PyTuple_GET_ITEM(columns, i);
        if (!PyTuple_Check(each)) {
            PyErr_SetString(PyExc_TypeError, "a column must be a tuple");
            return 0;
        }
        if (!fill_column(&reader->columns[i], each, i, &reader->width))
            return 0;
        reader->count++;
    }
    return fill_model(reader, model);
}

static PyObject *
RowReader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"columns", "absent", "decimal", "model", NULL};
    PyObject *columns, *absent, *decimal, *model = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OO|O", names, &PyTuple_Type, &columns, &absent, &decimal, &model))
        return NULL;
    if (!PyTuple_Check(model) && model != Py_None) {
        PyErr_SetString(PyExc_TypeError, "a model must be a tuple or None");
        return NULL;
    }
    RowReader *reader = (RowReader *)type->tp_alloc(type, 0);
    if (reader == NULL)
        return NULL;
    reader->absent = Py_NewRef(absent);
    reader->decimal = Py_NewRef(decimal);
    if (!fill_reader(reader, columns, model)) {
        Py_DECREF(reader);
        return NULL;
    }
    return (PyObject *)reader;
}

static PyObject *
rows_of(RowReader *reader, PyObject *data, Py_ssize_t start, int is_array)
{
    const State *state = PyType_GetModuleState(Py_TYPE(reader));
    Rows *rows = PyObject_New(Rows, state->rows_type);
    if (rows == NULL)
        return NULL;
    rows->reader = (RowReader *)Py_NewRef(reader);
    if (PyObject_GetBuffer(data, &rows->data, PyBUF_SIMPLE) < 0) {
        rows->data.obj = NULL;
        Py_DECREF(rows);
        return NULL;
    }
    if (start < 0 || start > rows->data.len) {
        Py_DECREF(rows);
        PyErr_SetString(PyExc_ValueError, "the start is outside the bytes");
        return NULL;
    }
    rows->at = (const char *)rows->data.buf + start;
    rows->end = (const char *)rows->data.buf + rows->data.len;
    rows->is_array = is_array;
    rows->is_over = is_end(rows);
    return (PyObject *)rows;
}

static PyObject *
RowReader_rows(RowReader *reader, PyObject *data)
{
    return rows_of(reader, data, 0, 0);
}

static PyObject *
RowReader_array(RowReader *reader, PyObject *args)
{
    PyObject *data;
    Py_ssize_t start;
    if (!PyArg_ParseTuple(args, "On", &data, &start))
        return NULL;
    return rows_of(reader, data, start, 1);
}

static PyMethodDef RowReader_methods[] = {
    {"rows", (PyCFunction)RowReader_rows, METH_O,
     PyDoc_STR("Iterate over comma-separated items; raise NotOnFastPath at an item that does not match the columns.")},
    {"array", (PyCFunction)RowReader_array, METH_VARARGS,
     PyDoc_STR("Iterate over the items of an array, from after its opening bracket to its closing one.")},
    {NULL},
};

static PyType_Slot RowReader_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("Reads the items of one entity as tuples of their columns, or as pydantic objects.")},
    {Py_tp_traverse, RowReader_traverse},
    {Py_tp_clear, RowReader_clear},
    {Py_tp_new, RowReader_new},
    {Py_tp_dealloc, RowReader_dealloc},
    {Py_tp_methods, RowReader_methods},
    {0, NULL},
};

static PyType_Spec RowReader_spec = {
    .name = "singletable.client.items._fast_rows.RowReader",
    .basicsize = sizeof(RowReader),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = RowReader_slots,
};

/* ---- The module ---- */

static int
exec_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    if (import_datetime() < 0)
        return -1;
    PyObject *fast_path = PyImport_ImportModule("singletable.values.fast_path");
    if (fast_path == NULL)
        return -1;
    state->not_on_fast_path = PyObject_GetAttrString(fast_path, "NotOnFastPath");
    Py_DECREF(fast_path);
    if (state->not_on_fast_path == NULL)
        return -1;
    state->rows_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &Rows_spec, NULL);
    if (state->rows_type == NULL)
        return -1;
    PyObject *reader_type = PyType_FromModuleAndSpec(module, &RowReader_spec, NULL);
    if (reader_type == NULL)
        return -1;
    int added = PyModule_AddType(module, (PyTypeObject *)reader_type);
    Py_DECREF(reader_type);
    return added < 0 ? -1 : PyModule_AddIntConstant(module, "INTERFACE_VERSION", INTERFACE_VERSION);
}

static int
traverse_module(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->not_on_fast_path);
    Py_VISIT(state->rows_type);
    return 0;
}

static int
clear_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->not_on_fast_path);
    Py_CLEAR(state->rows_type);
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
    {Py_mod_gil, Py_MOD_GIL_USED}, /* an iterator over rows has no lock of its own */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_fast_rows",
    .m_doc = PyDoc_STR("The compiled fast path that reads the items of a response into tuples or pydantic objects."),
    .m_size = sizeof(State),
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC
PyInit__fast_rows(void)
{
    return PyModuleDef_Init(&definition);
}
