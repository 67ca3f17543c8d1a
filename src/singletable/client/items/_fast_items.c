/* Decodes items in DynamoDB JSON to rows: tuples with a value per column, or pydantic objects. */

#include "_fast_rows.h"

static PyObject *
take_list(const char **at, const char *end, const Column *column, PyObject *decimal)
{
    if (!TAKE(at, end, "{\"L\":["))
        return NULL;
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
    return NULL;
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

static const Column *
column_named(const RowReader *reader, const Span *name)
{
    for (Py_ssize_t i = 0; i < reader->count; i++) {
        const Column *column = &reader->columns[i];
        if (column->name_length == name->length &&
            memcmp(column->name_bytes, name->start, (size_t)name->length) == 0)
            return column;
    }
    return NULL;
}

/* Skip the name of a column and its colon if they come next. */
static int
take_name(const char **at, const char *end, const Column *column)
{
    Py_ssize_t length = column->name_length;
    if (!column->is_literal || end - *at < length + 3 || **at != '"' ||
        memcmp(*at + 1, column->name_bytes, (size_t)length) != 0 || memcmp(*at + 1 + length, "\":", 2) != 0)
        return 0;
    *at += length + 3;
    return 1;
}

/* Read the attributes of an item into the tuple and count its columns; return 0 for unexpected input. */
static int
take_members(Rows *rows, PyObject *tuple, Py_ssize_t *found)
{
    const RowReader *reader = rows->reader;
    unsigned long long constants = 0; /* one bit for each constant column seen */
    Py_ssize_t likely = 0;
    Span name;
    do {
        /* Items usually list their attributes in the same order, so try the column after the last one first. */
        const Column *column = &reader->columns[likely];
        if (reader->count == 0 || !take_name(&rows->at, rows->end, column)) {
            if (!TAKE(&rows->at, rows->end, "\"") || !take_text(&rows->at, rows->end, &name) || name.has_escapes ||
                !TAKE(&rows->at, rows->end, ":"))
                return 0;
            column = column_named(reader, &name);
        }
        if (column == NULL) {
            if (!skip_value(&rows->at, rows->end))
                return 0;
            continue;
        }
        Py_ssize_t number = column - reader->columns;
        likely = number + 1 < reader->count ? number + 1 : 0;
        if (column->place >= 0 ? PyTuple_GET_ITEM(tuple, column->place) != NULL : (int)(constants >> number & 1))
            return 0; /* a duplicate name */
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
    if (reader->absent == NULL || !TAKE(&rows->at, rows->end, "{"))
        return NULL;
    PyObject *tuple = PyTuple_New(reader->width);
    if (tuple == NULL)
        return NULL;
    /* gc.get_objects() must not find the tuple before it is filled. Skip the empty tuple: it is a shared constant. */
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
    return NULL;
}

/* ---- Models ---- */

/* Put the values of a row into the dict of a model, and record which of them were given. */
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

/* Create an object with the same internal fields that pydantic sets. */
static PyObject *
model_of(const RowReader *reader, PyObject *tuple)
{
    PyObject *object = NULL;
    if (PyType_HasFeature(reader->model, Py_TPFLAGS_IS_ABSTRACT))
        return NULL;
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

int
is_end(Rows *rows)
{
    return rows->is_array ? TAKE(&rows->at, rows->end, "]") : rows->at == rows->end;
}

PyObject *
next_row(Rows *rows)
{
    PyObject *made = take_row(rows);
    if (made == NULL)
        return NULL;
    rows->is_over = is_end(rows);
    if (!rows->is_over && !TAKE(&rows->at, rows->end, ",")) {
        Py_DECREF(made);
        return NULL;
    }
    if (rows->reader->model != NULL)
        Py_SETREF(made, model_of(rows->reader, made));
    return made;
}
