/* Decodes JSON strings to Python strings. */

#include "_fast_rows.h"

int
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

/* Write a character as UTF-8; this is never longer than the escape sequence of the character. */
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

int
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
        if (!take_escape(&at, end, &code))
            goto done;
        to = put_character(to, code);
    }
    text = PyUnicode_DecodeUTF8(buffer, to - buffer, "strict");
done:
    PyMem_Free(buffer);
    return text;
}

PyObject *
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
