/* Decodes attribute values in DynamoDB JSON: strings, numbers, datetimes and booleans; other types stay raw JSON. */

#include "_fast_rows.h"
#include <datetime.h>

/* DynamoDB nests values up to 32 levels, and each level is two brackets of JSON. */
#define BRACKETS_MAX 128
/* A long long holds every integer of this many digits. */
#define INT_DIGITS_MAX 18
/* A number has at most 38 significant digits, and up to 130 zeros in plain notation. */
#define NUMBER_LENGTH_MAX 255

int
import_datetime(void)
{
    PyDateTime_IMPORT;
    return PyDateTimeAPI == NULL ? -1 : 0;
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
    unsigned long long value = 0; /* may overflow; long_int_of reads long numbers instead */
    p += is_negative;
    if (p == end || span->length > NUMBER_LENGTH_MAX)
        return NULL;
    Py_ssize_t count = end - p;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return NULL;
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
        return NULL;
    memcpy(text, span->start, (size_t)span->length);
    text[span->length] = 0;
    double value = PyOS_string_to_double(text, NULL, NULL); /* returns infinity on overflow, as float() does */
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(value);
}

static PyObject *
decimal_of(const Span *span, PyObject *decimal)
{
    if (!is_number(span))
        return NULL;
    PyObject *text = text_of(span);
    if (text == NULL)
        return NULL;
    PyObject *value = PyObject_CallOneArg(decimal, text);
    Py_DECREF(text);
    return value;
}

/* ---- Datetimes ---- */

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

/* Read one to six digits after the decimal point and skip them; return -1 if there are none or more than six. */
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

/* A datetime in UTC, such as 2026-04-10T14:00:00.5Z; other time zones are not on the fast path. */
static PyObject *
moment_of(const Span *span)
{
    const char *s = span->start, *end = s + span->length, *p = s + 19;
    int micro = 0;
    if (span->length < 20 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':')
        return NULL;
    int year = digits(s, 4), month = digits(s + 5, 2), day = digits(s + 8, 2);
    int hour = digits(s + 11, 2), minute = digits(s + 14, 2), second = digits(s + 17, 2);
    if ((year | month | day | hour | minute | second) < 0)
        return NULL;
    if (*p == '.') {
        p++;
        micro = microseconds(&p, end);
        if (micro < 0)
            return NULL;
    }
    Py_ssize_t rest = end - p;
    if (!(rest == 1 && *p == 'Z') && !(rest == 6 && memcmp(p, "+00:00", 6) == 0) &&
        !(rest == 5 && memcmp(p, "+0000", 5) == 0))
        return NULL;
    return PyDateTimeAPI->DateTime_FromDateAndTime(
        year, month, day, hour, minute, second, micro, PyDateTime_TimeZone_UTC, PyDateTimeAPI->DateTimeType);
}

/* ---- Values ---- */

/* Skip a string with its quotes, and check its escape sequences. */
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

int
skip_value(const char **at, const char *end)
{
    char open[BRACKETS_MAX];
    int depth = 0;
    for (;;) {
        /* A value starts here. */
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
            (*at)++; /* the map or list is empty */
        }
        /* A value ended here. If it was the last element, its map or list ends too. */
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

/* Pass the bytes of a value to a Python function. */
static PyObject *
raw_of(const char **at, const char *end, PyObject *read)
{
    const char *start = *at;
    if (!skip_value(at, end))
        return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(start, *at - start);
    if (bytes == NULL)
        return NULL;
    PyObject *value = PyObject_CallOneArg(read, bytes);
    Py_DECREF(bytes);
    return value;
}

/* Look a string up among the values of a Literal or an Enum. */
static PyObject *
choice_of(const Span *span, PyObject *choices)
{
    PyObject *text = text_of(span);
    if (text == NULL)
        return NULL;
    PyObject *meant = PyDict_GetItemWithError(choices, text);
    Py_DECREF(text);
    return Py_XNewRef(meant);
}

static PyObject *
take_constant(const char **at, const char *end, PyObject *known)
{
    size_t length = (size_t)PyBytes_GET_SIZE(known);
    if ((size_t)(end - *at) < length || memcmp(*at, PyBytes_AS_STRING(known), length) != 0)
        return NULL;
    *at += length;
    return Py_NewRef(Py_None);
}

/* Whether a text matches an outline: literals with a sign in place of the fields between them. Such a field is a run
   without the delimiter; the rest, at the end, is any text. See `key_literals.py`. */
static int
matches_outline(const char *at, const char *end, const char *outline, const char *last, char delimiter)
{
    const char *field = NULL, *run = NULL; /* the outline after the last field, and the text where its run ends */
    for (;;) {
        if (outline < last && *outline == OUTLINE_REST)
            return 1;
        if (outline < last && *outline == OUTLINE_FIELD) {
            field = ++outline;
            run = at;
        }
        else if (at < end && outline < last && *outline == *at) {
            outline++;
            at++;
        }
        else if (at == end && outline == last) {
            return 1;
        }
        else if (field != NULL && run < end && *run != delimiter) {
            outline = field; /* the run of the last field is longer */
            at = ++run;
        }
        else {
            return 0;
        }
    }
}

static PyObject *
checked_key(const Span *span, PyObject *known)
{
    const char *outline = PyBytes_AS_STRING(known), *last = outline + PyBytes_GET_SIZE(known);
    const char *start = span->start;
    Py_ssize_t length = span->length;
    PyObject *text = NULL;
    if (span->has_escapes) {
        text = text_of(span);
        start = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, &length);
        if (start == NULL) {
            Py_XDECREF(text);
            return NULL;
        }
    }
    int is_match = matches_outline(start, start + length, outline + 1, last, *outline);
    Py_XDECREF(text);
    return is_match ? Py_NewRef(Py_None) : NULL;
}

PyObject *
take_scalar(const char **at, const char *end, Kind kind, PyObject *known, PyObject *decimal)
{
    Span span;
    PyObject *value;
    switch (kind) {
    case CONSTANT:
        return take_constant(at, end, known);
    case RAW:
        return raw_of(at, end, known);
    case BOOL:
        if (TAKE(at, end, "{\"BOOL\":true}"))
            return Py_NewRef(Py_True);
        if (TAKE(at, end, "{\"BOOL\":false}"))
            return Py_NewRef(Py_False);
        return NULL;
    case KEY:
    case TEXT:
    case CHOICE:
    case MOMENT:
        if (!TAKE(at, end, "{\"S\":\"") || !take_text(at, end, &span))
            return NULL;
        value = kind == TEXT     ? text_of(&span)
                : kind == KEY    ? checked_key(&span, known)
                : kind == CHOICE ? choice_of(&span, known)
                                 : moment_of(&span);
        break;
    case INT:
    case FLOAT:
    case DECIMAL:
        if (!TAKE(at, end, "{\"N\":\"") || !take_text(at, end, &span))
            return NULL;
        value = kind == INT ? int_of(&span) : kind == FLOAT ? float_of(&span) : decimal_of(&span, decimal);
        break;
    default:
        return NULL;
    }
    if (value != NULL && !TAKE(at, end, "}")) {
        Py_DECREF(value);
        return NULL;
    }
    return value;
}
