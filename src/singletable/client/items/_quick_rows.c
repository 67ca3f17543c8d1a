/* Items of DynamoDB JSON as tuples of Python's values, in one pass over the bytes of an answer.

   It knows only what is right. Whatever it does not expect, be it wrong, rare or merely written another way, raises
   ValueError, and the same bytes are read again by msgspec and by Python, which say what is wrong. So this file decides
   nothing but that all is well, and its values have to be equal to theirs; tests/client/items/test_quick_rows.py holds
   the two against each other. */

#include "_quick_values.h"

/* What quick_rows.py asks for: raised with every change of what is given or returned. */
#define FORM 1

/* As many as there are bits to note which of them an item has. */
#define CONSTANTS_MAX 64
/* What an object of pydantic is made of: see plain_models.py. */
#define MEMBERS 4

static const struct {
    const char *name;
    Kind kind;
} KINDS[] = {
    {"constant", CONSTANT}, {"text", TEXT},       {"choice", CHOICE}, {"moment", MOMENT}, {"int", INT},
    {"float", FLOAT},       {"decimal", DECIMAL}, {"bool", BOOL},     {"list", LIST},     {"raw", RAW},
};

/* One attribute: what it is called, what it holds, and what may stand in its place. */
typedef struct {
    PyObject *name;
    const char *name_bytes;
    Py_ssize_t name_length;
    Kind kind;
    Kind element;      /* of a list */
    PyObject *known;   /* of a choice its texts and what each stands for, of a constant its bytes, of what is raw the
                          function that reads it; else NULL */
    int optional;      /* an item may be without it */
    int nullable;      /* {"NULL":true} stands for no value */
    int keeps_null;    /* ... and is then None, and not absent */
    Py_ssize_t place;  /* in the tuple; -1 for constants, which are looked at and left out */
    int is_noted;      /* that it was given is noted by name, where it is not always so */
} Column;

typedef struct {
    PyObject_HEAD
    Column *columns;
    Py_ssize_t count;
    Py_ssize_t width;
    PyObject *absent;
    PyObject *decimal;
    /* Of what is made of the values: tuples where the class is NULL, or else objects of pydantic. */
    PyTypeObject *model;
    PyObject *names;    /* of the fields, in the order of the columns */
    PyObject *fields;   /* a dict with all of them, each with what it is where the item has no value */
    PyObject *always;   /* those that count as given whatever the item has */
    PyObject *members;  /* the descriptors of the dict, of the set of what was given, and of two that are None */
} RowReader;

typedef struct {
    PyObject_HEAD
    RowReader *reader;
    Py_buffer data;
    const char *at;
    const char *end;
    int is_array; /* its closing bracket ends the rows, and not the end of the bytes */
    int is_over;
} Rows;

static PyTypeObject Rows_Type;

/* ---- Values ---- */

static PyObject *
take_list(const char **at, const char *end, const Column *column, PyObject *decimal)
{
    if (!TAKE(at, end, "{\"L\":["))
        return unexpected();
    PyObject *list = PyList_New(0);
    if (list == NULL)
        return NULL;
    if (!TAKE(at, end, "]")) {
        do {
            PyObject *element = take_scalar(at, end, column->element, column->known, decimal);
            if (element == NULL || PyList_Append(list, element) < 0) {
                Py_XDECREF(element);
                goto failed;
            }
            Py_DECREF(element);
        } while (TAKE(at, end, ","));
        if (!TAKE(at, end, "]"))
            goto failed;
    }
    if (TAKE(at, end, "}"))
        return list;
failed:
    Py_DECREF(list);
    return unexpected();
}

static PyObject *
take_value(const char **at, const char *end, const Column *column, const RowReader *reader)
{
    if (column->nullable && TAKE(at, end, "{\"NULL\":true}"))
        return Py_NewRef(column->keeps_null ? Py_None : reader->absent);
    if (column->kind == LIST)
        return take_list(at, end, column, reader->decimal);
    return take_scalar(at, end, column->kind, column->known, reader->decimal);
}

/* ---- Rows ---- */

/* The column of a name, looked for from where it most likely is. */
static const Column *
column_of(const RowReader *reader, const Span *name, Py_ssize_t likely)
{
    for (Py_ssize_t i = 0; i < reader->count; i++) {
        Py_ssize_t place = likely + i < reader->count ? likely + i : likely + i - reader->count;
        const Column *column = &reader->columns[place];
        if (column->name_length == name->length &&
            memcmp(column->name_bytes, name->start, (size_t)name->length) == 0)
            return column;
    }
    return NULL;
}

/* Reads the members of an item into the tuple and counts the columns that it has; 0 when anything is unexpected. */
static int
take_members(Rows *rows, PyObject *tuple, Py_ssize_t *found)
{
    const RowReader *reader = rows->reader;
    unsigned long long constants = 0; /* which of them were seen */
    Py_ssize_t likely = 0;
    Span name;
    do {
        if (!TAKE(&rows->at, rows->end, "\"") || !take_text(&rows->at, rows->end, &name) || name.has_escapes ||
            !TAKE(&rows->at, rows->end, ":"))
            return 0;
        const Column *column = column_of(reader, &name, likely);
        if (column == NULL) {
            if (!skip_value(&rows->at, rows->end))
                return 0;
            continue;
        }
        Py_ssize_t number = column - reader->columns;
        likely = number + 1 < reader->count ? number + 1 : 0;
        if (column->place >= 0 ? PyTuple_GET_ITEM(tuple, column->place) != NULL : (int)(constants >> number & 1))
            return 0; /* a second one of the name */
        PyObject *value = take_value(&rows->at, rows->end, column, reader);
        if (value == NULL)
            return 0;
        if (column->place >= 0) {
            PyTuple_SET_ITEM(tuple, column->place, value);
        }
        else {
            constants |= 1ULL << number;
            Py_DECREF(value);
        }
        (*found)++;
    } while (TAKE(&rows->at, rows->end, ","));
    return 1;
}

static PyObject *
take_row(Rows *rows)
{
    const RowReader *reader = rows->reader;
    Py_ssize_t found = 0;
    if (!TAKE(&rows->at, rows->end, "{"))
        return unexpected();
    PyObject *tuple = PyTuple_New(reader->width);
    if (tuple == NULL)
        return NULL;
    /* Until it is filled, nobody who walks through all objects may meet it; of no width, it is everybody's. */
    if (reader->width > 0)
        PyObject_GC_UnTrack(tuple);
    if (!take_members(rows, tuple, &found) || !TAKE(&rows->at, rows->end, "}"))
        goto failed;
    if (found < reader->count) {
        for (Py_ssize_t i = 0; i < reader->count; i++) {
            const Column *column = &reader->columns[i];
            if (column->place < 0 || PyTuple_GET_ITEM(tuple, column->place) != NULL)
                continue;
            if (!column->optional)
                goto failed;
            PyTuple_SET_ITEM(tuple, column->place, Py_NewRef(reader->absent));
            found++;
        }
        if (found < reader->count)
            goto failed; /* a constant is missing */
    }
    if (reader->width > 0)
        PyObject_GC_Track(tuple);
    return tuple;
failed:
    Py_DECREF(tuple);
    return unexpected();
}

/* ---- Models ---- */

/* Puts the values of a row into the dict of a model, and notes which of them were given. */
static int
fill_fields(const RowReader *reader, PyObject *tuple, PyObject *fields, PyObject *given)
{
    for (Py_ssize_t i = 0; i < reader->count; i++) {
        const Column *column = &reader->columns[i];
        if (column->place < 0)
            continue;
        PyObject *value = PyTuple_GET_ITEM(tuple, column->place);
        PyObject *name = PyTuple_GET_ITEM(reader->names, column->place);
        if (value == reader->absent)
            continue;
        if (PyDict_SetItem(fields, name, value) < 0 || (column->is_noted && PySet_Add(given, name) < 0))
            return 0;
    }
    return 1;
}

/* An object with the members that pydantic itself would give it: see plain_models.py. */
static PyObject *
model_of(const RowReader *reader, PyObject *tuple)
{
    PyObject *object = NULL;
    if (PyType_HasFeature(reader->model, Py_TPFLAGS_IS_ABSTRACT))
        return unexpected();
    PyObject *fields = PyDict_Copy(reader->fields);
    PyObject *given = PySet_New(reader->always);
    if (fields == NULL || given == NULL || !fill_fields(reader, tuple, fields, given))
        goto done;
    object = PyType_GenericAlloc(reader->model, 0);
    if (object == NULL)
        goto done;
    PyObject *values[] = {fields, given, Py_None, Py_None};
    for (Py_ssize_t i = 0; i < MEMBERS; i++) {
        PyObject *member = PyTuple_GET_ITEM(reader->members, i);
        if (Py_TYPE(member)->tp_descr_set(member, object, values[i]) < 0) {
            Py_CLEAR(object);
            goto done;
        }
    }
done:
    Py_XDECREF(fields);
    Py_XDECREF(given);
    return object;
}

/* Whether the rows end here; they may not end behind a comma. */
static int
is_end(Rows *rows)
{
    return rows->is_array ? TAKE(&rows->at, rows->end, "]") : rows->at == rows->end;
}

static PyObject *
Rows_next(Rows *rows)
{
    if (rows->is_over)
        return NULL;
    PyObject *made = take_row(rows);
    rows->is_over = made == NULL || is_end(rows);
    if (!rows->is_over && !TAKE(&rows->at, rows->end, ",")) {
        rows->is_over = 1;
        Py_DECREF(made);
        return unexpected();
    }
    if (made != NULL && rows->reader->model != NULL)
        Py_SETREF(made, model_of(rows->reader, made));
    if (made == NULL)
        rows->is_over = 1;
    if (made == NULL && PyErr_ExceptionMatches(PyExc_StopIteration)) {
        PyErr_Clear(); /* of a user's class; it would be taken for the end of the rows */
        return unexpected();
    }
    return made;
}

static PyObject *
Rows_position(Rows *rows, void *closure)
{
    return PyLong_FromSsize_t(rows->at - (const char *)rows->data.buf);
}

static void
Rows_dealloc(Rows *rows)
{
    PyBuffer_Release(&rows->data);
    Py_XDECREF(rows->reader);
    Py_TYPE(rows)->tp_free((PyObject *)rows);
}

static PyGetSetDef Rows_attributes[] = {
    {"position", (getter)Rows_position, NULL, PyDoc_STR("How many of the bytes were read."), NULL},
    {NULL},
};

static PyTypeObject Rows_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "singletable.client.items._quick_rows.Rows",
    .tp_doc = PyDoc_STR("The rows of some bytes, each read when it is asked for."),
    .tp_basicsize = sizeof(Rows),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)Rows_dealloc,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)Rows_next,
    .tp_getset = Rows_attributes,
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
    PyErr_Format(PyExc_ValueError, "%R is no kind of column", name);
    return 0;
}

/* One column out of (name, kind, element, known, optional, nullable, keeps_null). */
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
               : inner == RAW      ? PyCallable_Check(known)
                                   : known == Py_None;
    if (!fits || inner == LIST) {
        PyErr_Format(PyExc_ValueError, "%U cannot have %R, nor lists other lists", kind, known);
        return 0;
    }
    if (column->kind == CONSTANT && (column->optional || column->nullable || number >= CONSTANTS_MAX)) {
        PyErr_SetString(PyExc_ValueError, "a constant stands in every item, and among the first columns");
        return 0;
    }
    column->name_bytes = PyUnicode_AsUTF8AndSize(name, &column->name_length);
    if (column->name_bytes == NULL)
        return 0;
    column->name = Py_NewRef(name);
    column->known = known == Py_None ? NULL : Py_NewRef(known);
    column->place = column->kind == CONSTANT ? -1 : (*width)++;
    return 1;
}

/* What is made of the rows: (class, names, fields, always, members), or None for tuples. */
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
        PyErr_SetString(PyExc_ValueError, "a model has a name for each column, and four members");
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

static void
RowReader_dealloc(RowReader *reader)
{
    PyObject_GC_UnTrack(reader);
    for (Py_ssize_t i = 0; i < reader->count; i++) {
        Py_XDECREF(reader->columns[i].name);
        Py_XDECREF(reader->columns[i].known);
    }
    PyMem_Free(reader->columns);
    Py_XDECREF(reader->absent);
    Py_XDECREF(reader->decimal);
    Py_XDECREF(reader->model);
    Py_XDECREF(reader->names);
    Py_XDECREF(reader->fields);
    Py_XDECREF(reader->always);
    Py_XDECREF(reader->members);
    Py_TYPE(reader)->tp_free((PyObject *)reader);
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
            PyErr_SetString(PyExc_TypeError, "a column is a tuple");
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
        PyErr_SetString(PyExc_TypeError, "a model is a tuple, or None");
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
    Rows *rows = PyObject_New(Rows, &Rows_Type);
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
        PyErr_SetString(PyExc_ValueError, "the rows begin outside of the bytes");
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
     PyDoc_STR("The rows of items with commas between them; raises ValueError at one that is not as expected.")},
    {"array", (PyCFunction)RowReader_array, METH_VARARGS,
     PyDoc_STR("The same of an array, from behind its opening bracket up to its closing one, wherever that is.")},
    {NULL},
};

static PyTypeObject RowReader_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "singletable.client.items._quick_rows.RowReader",
    .tp_doc = PyDoc_STR("Reads the items of one entity as tuples of their columns."),
    .tp_basicsize = sizeof(RowReader),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)RowReader_traverse,
    .tp_new = RowReader_new,
    .tp_dealloc = (destructor)RowReader_dealloc,
    .tp_methods = RowReader_methods,
};

static int
exec_module(PyObject *module)
{
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == NULL || PyType_Ready(&Rows_Type) < 0 || PyModule_AddIntConstant(module, "FORM", FORM) < 0)
        return -1;
    return PyModule_AddType(module, &RowReader_Type);
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
    .m_name = "_quick_rows",
    .m_doc = PyDoc_STR("Items of DynamoDB JSON as tuples of Python's values, in one pass over the bytes of an answer."),
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__quick_rows(void)
{
    return PyModuleDef_Init(&definition);
}
