/* Items of DynamoDB JSON as tuples of Python's values, in one pass over the bytes of an answer.

   It knows only what is right. Whatever it does not expect, be it wrong, rare or merely written another way, raises
   ValueError, and the same bytes are read again by msgspec and by Python, which say what is wrong. So this file decides
   nothing but that all is well, and its values have to be equal to theirs; tests/client/items/test_quick_rows.py holds
   the two against each other.

   Bytes are only ever read below `end`: every step that looks at a byte has checked first that there is one. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <datetime.h>
#include <string.h>

/* What quick_rows.py asks for: raised with every change of what is given or returned. */
#define FORM 1

/* A value of DynamoDB is nested up to 32 levels, each of which is two brackets of JSON. */
#define BRACKETS_MAX 128
/* What a long long always holds. */
#define INT_DIGITS_MAX 18
/* A number has 38 digits, and in plain notation up to 130 zeros. */
#define NUMBER_LENGTH_MAX 255
/* As many as there are bits to note which of them an item has. */
#define CONSTANTS_MAX 64
/* What an object of pydantic is made of: see plain_models.py. */
#define MEMBERS 4

typedef enum { CONSTANT, TEXT, CHOICE, MOMENT, INT, FLOAT, DECIMAL, BOOL, LIST, RAW } Kind;

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

static PyObject *
unexpected(void)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "not a row as it is expected");
    return NULL;
}

/* Passes over these bytes if they are next. */
static inline int
take(const char **at, const char *end, const char *wanted, size_t length)
{
    if ((size_t)(end - *at) < length || memcmp(*at, wanted, length) != 0)
        return 0;
    *at += length;
    return 1;
}

#define TAKE(at, end, literal) take(at, end, literal, sizeof(literal) - 1)

/* ---- Texts ---- */

typedef struct {
    const char *start;
    Py_ssize_t length;
    int has_escapes;
    int is_ascii;
} Span;

/* A text up to its quote, past which `at` is then; what precedes it was taken already. */
static int
take_text(const char **at, const char *end, Span *span)
{
    const unsigned char *p = (const unsigned char *)*at;
    const unsigned char *last = (const unsigned char *)end;
    unsigned char seen = 0;
    span->start = *at;
    span->has_escapes = 0;
    for (;; p++) {
        if (p >= last)
            return 0;
        if (*p == '"')
            break;
        if (*p == '\\') {
            span->has_escapes = 1;
            if (++p >= last)
                return 0;
        }
        if (*p < 0x20)
            return 0;
        seen |= *p;
    }
    span->length = (const char *)p - span->start;
    span->is_ascii = seen < 0x80;
    *at = (const char *)p + 1;
    return 1;
}

static int
four_hex(const char *p, const char *end, unsigned *code)
{
    unsigned value = 0;
    if (end - p < 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return 0;
        value = value * 16 + digit;
    }
    *code = value;
    return 1;
}

/* Writes a character as UTF-8, which is never longer than the escape it was written as. */
static char *
put_character(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    }
    else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* The character of an escape, whose backslash was passed over; 0 for what is none. Half a pair is none. */
static int
take_escape(const char **at, const char *end, unsigned *code)
{
    static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *found;
    unsigned low;
    if (*at >= end)
        return 0;
    char c = *(*at)++;
    if (c != 'u') {
        found = c ? strchr(written, c) : NULL;
        if (found == NULL)
            return 0;
        *code = (unsigned char)meant[found - written];
        return 1;
    }
    if (!four_hex(*at, end, code))
        return 0;
    *at += 4;
    if (*code >= 0xDC00 && *code <= 0xDFFF)
        return 0;
    if (*code >= 0xD800 && *code <= 0xDBFF) {
        if (!TAKE(at, end, "\\u") || !four_hex(*at, end, &low) || low < 0xDC00 || low > 0xDFFF)
            return 0;
        *at += 4;
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    }
    return 1;
}

static PyObject *
unescaped(const Span *span)
{
    const char *at = span->start, *end = span->start + span->length;
    char *buffer = PyMem_Malloc((size_t)span->length);
    char *to = buffer;
    PyObject *text = NULL;
    unsigned code;
    if (buffer == NULL)
        return PyErr_NoMemory();
    while (at < end) {
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        at++;
        if (!take_escape(&at, end, &code)) {
            unexpected();
            goto done;
        }
        to = put_character(to, code);
    }
    text = PyUnicode_DecodeUTF8(buffer, to - buffer, "strict");
done:
    PyMem_Free(buffer);
    return text;
}

static PyObject *
text_of(const Span *span)
{
    if (span->has_escapes)
        return unescaped(span);
    if (!span->is_ascii)
        return PyUnicode_DecodeUTF8(span->start, span->length, "strict");
    PyObject *text = PyUnicode_New(span->length, 127);
    if (text != NULL)
        memcpy(PyUnicode_1BYTE_DATA(text), span->start, (size_t)span->length);
    return text;
}

static PyObject *
choice_of(const Span *span, PyObject *choices)
{
    PyObject *text = text_of(span);
    if (text == NULL)
        return NULL;
    PyObject *meant = PyDict_GetItemWithError(choices, text);
    Py_DECREF(text);
    if (meant == NULL)
        return unexpected();
    return Py_NewRef(meant);
}

/* ---- Numbers ---- */

static PyObject *
long_int_of(const Span *span)
{
    char text[NUMBER_LENGTH_MAX + 1];
    memcpy(text, span->start, (size_t)span->length);
    text[span->length] = 0;
    return PyLong_FromString(text, NULL, 10);
}

static PyObject *
int_of(const Span *span)
{
    const char *p = span->start, *end = p + span->length;
    int is_negative = p < end && *p == '-';
    unsigned long long value = 0; /* of a long number it is nothing in particular */
    p += is_negative;
    if (p == end || span->length > NUMBER_LENGTH_MAX)
        return unexpected();
    Py_ssize_t count = end - p;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return unexpected();
        value = value * 10 + (unsigned long long)(*p - '0');
    }
    if (count > INT_DIGITS_MAX)
        return long_int_of(span);
    return PyLong_FromLongLong(is_negative ? -(long long)value : (long long)value);
}

static int
is_number(const Span *span)
{
    if (span->length == 0 || span->length > NUMBER_LENGTH_MAX)
        return 0;
    for (Py_ssize_t i = 0; i < span->length; i++) {
        char c = span->start[i];
        if (!((c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'))
            return 0;
    }
    return 1;
}

static PyObject *
float_of(const Span *span)
{
    char text[NUMBER_LENGTH_MAX + 1];
    if (!is_number(span))
        return unexpected();
    memcpy(text, span->start, (size_t)span->length);
    text[span->length] = 0;
    double value = PyOS_string_to_double(text, NULL, NULL); /* too large a one is infinite, as float(...) has it */
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(value);
}

static PyObject *
decimal_of(const Span *span, PyObject *decimal)
{
    if (!is_number(span))
        return unexpected();
    PyObject *text = text_of(span);
    if (text == NULL)
        return NULL;
    PyObject *value = PyObject_CallOneArg(decimal, text);
    Py_DECREF(text);
    return value;
}

/* ---- Moments ---- */

static int
digits(const char *p, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        value = value * 10 + (p[i] - '0');
    }
    return value;
}

/* Up to six digits behind the point, and past them; -1 for none or more. */
static int
microseconds(const char **p, const char *end)
{
    int value = 0, count = 0;
    for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
        if (++count > 6)
            return -1;
        value = value * 10 + (**p - '0');
    }
    if (count == 0)
        return -1;
    for (; count < 6; count++)
        value *= 10;
    return value;
}

/* A moment of UTC, such as 2026-04-10T14:00:00.5Z; those of other zones are left to msgspec. */
static PyObject *
moment_of(const Span *span)
{
    const char *s = span->start, *end = s + span->length, *p = s + 19;
    int micro = 0;
    if (span->length < 20 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':')
        return unexpected();
    int year = digits(s, 4), month = digits(s + 5, 2), day = digits(s + 8, 2);
    int hour = digits(s + 11, 2), minute = digits(s + 14, 2), second = digits(s + 17, 2);
    if ((year | month | day | hour | minute | second) < 0)
        return unexpected();
    if (*p == '.') {
        p++;
        micro = microseconds(&p, end);
        if (micro < 0)
            return unexpected();
    }
    Py_ssize_t rest = end - p;
    if (!(rest == 1 && *p == 'Z') && !(rest == 6 && memcmp(p, "+00:00", 6) == 0) &&
        !(rest == 5 && memcmp(p, "+0000", 5) == 0))
        return unexpected();
    return PyDateTimeAPI->DateTime_FromDateAndTime(
        year, month, day, hour, minute, second, micro, PyDateTime_TimeZone_UTC, PyDateTimeAPI->DateTimeType);
}

/* ---- Values ---- */

/* Passes over a text with its quotes, whose escapes have to be some. */
static int
skip_text(const char **at, const char *end)
{
    Span span;
    unsigned code;
    if (!TAKE(at, end, "\"") || !take_text(at, end, &span))
        return 0;
    if (!span.has_escapes)
        return 1;
    const char *p = span.start, *last = span.start + span.length;
    while (p < last) {
        if (*p++ == '\\' && !take_escape(&p, last, &code))
            return 0;
    }
    return 1;
}

/* Passes over any value that DynamoDB writes: texts, truths, maps and lists. */
static int
skip_value(const char **at, const char *end)
{
    char open[BRACKETS_MAX];
    int depth = 0;
    for (;;) {
        /* A value begins here. */
        if (*at < end && **at == '"') {
            if (!skip_text(at, end))
                return 0;
        }
        else if (!TAKE(at, end, "true") && !TAKE(at, end, "false")) {
            if (*at >= end || (**at != '{' && **at != '[') || depth == BRACKETS_MAX)
                return 0;
            char bracket = *(*at)++;
            if (*at >= end || **at != (bracket == '{' ? '}' : ']')) {
                open[depth++] = bracket;
                if (bracket == '{' && !(skip_text(at, end) && TAKE(at, end, ":")))
                    return 0;
                continue;
            }
            (*at)++; /* nothing is in it */
        }
        /* A value has ended, and with it what it was the last of. */
        while (depth > 0 && !TAKE(at, end, ",")) {
            if (*at >= end || **at != (open[depth - 1] == '{' ? '}' : ']'))
                return 0;
            (*at)++;
            depth--;
        }
        if (depth == 0)
            return 1;
        if (open[depth - 1] == '{' && !(skip_text(at, end) && TAKE(at, end, ":")))
            return 0;
    }
}

/* A value of any other kind, which is handed over as it is written. */
static PyObject *
raw_of(const char **at, const char *end, PyObject *read)
{
    const char *start = *at;
    if (!skip_value(at, end))
        return unexpected();
    PyObject *bytes = PyBytes_FromStringAndSize(start, *at - start);
    if (bytes == NULL)
        return NULL;
    PyObject *value = PyObject_CallOneArg(read, bytes);
    Py_DECREF(bytes);
    return value;
}

/* The value of one of the kinds that are no list, with the map around it. */
static PyObject *
take_scalar(const char **at, const char *end, Kind kind, PyObject *known, PyObject *decimal)
{
    Span span;
    PyObject *value;
    switch (kind) {
    case CONSTANT:
        if (!take(at, end, PyBytes_AS_STRING(known), (size_t)PyBytes_GET_SIZE(known)))
            return unexpected();
        return Py_NewRef(Py_None);
    case RAW:
        return raw_of(at, end, known);
    case BOOL:
        if (TAKE(at, end, "{\"BOOL\":true}"))
            return Py_NewRef(Py_True);
        if (TAKE(at, end, "{\"BOOL\":false}"))
            return Py_NewRef(Py_False);
        return unexpected();
    case TEXT:
    case CHOICE:
    case MOMENT:
        if (!TAKE(at, end, "{\"S\":\"") || !take_text(at, end, &span))
            return unexpected();
        value = kind == TEXT ? text_of(&span) : kind == CHOICE ? choice_of(&span, known) : moment_of(&span);
        break;
    case INT:
    case FLOAT:
    case DECIMAL:
        if (!TAKE(at, end, "{\"N\":\"") || !take_text(at, end, &span))
            return unexpected();
        value = kind == INT ? int_of(&span) : kind == FLOAT ? float_of(&span) : decimal_of(&span, decimal);
        break;
    default:
        return unexpected();
    }
    if (value != NULL && !TAKE(at, end, "}")) {
        Py_DECREF(value);
        return unexpected();
    }
    return value;
}

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
