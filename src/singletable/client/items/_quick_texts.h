/* Texts of JSON, between their quotes, as Python's; and how bytes are taken one after the other.

   Bytes are only ever read below `end`: every step that looks at a byte has checked first that there is one. */

#ifndef SINGLETABLE_QUICK_TEXTS_H
#define SINGLETABLE_QUICK_TEXTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

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

#endif
