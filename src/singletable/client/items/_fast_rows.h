/* Declarations that the sources of `_fast_rows` share: a scanner over bytes of JSON, columns, readers and rows.

   Every function reads bytes only below `end`. A function that returns NULL or 0 without setting an error has met input
   that the fast path does not handle; `Rows_next` raises NotOnFastPath for it. */

#ifndef SINGLETABLE_FAST_ROWS_H
#define SINGLETABLE_FAST_ROWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* Calls between the sources of one module need no indirection through the table of exported symbols. */
#if defined(__GNUC__) || defined(__clang__)
#define INTERNAL __attribute__((visibility("hidden")))
#else
#define INTERNAL
#endif

/* Skip a literal if it comes next. A macro, so that the compiler replaces `memcmp` with a comparison of words. */
#define TAKE(at, end, literal)                                                                                         \
    ((size_t)((end) - *(at)) >= sizeof(literal) - 1 && memcmp(*(at), literal, sizeof(literal) - 1) == 0                \
         ? (*(at) += sizeof(literal) - 1, 1)                                                                           \
         : 0)

typedef enum { CONSTANT, KEY, TEXT, CHOICE, MOMENT, INT, FLOAT, DECIMAL, BOOL, LIST, RAW } Kind;

/* A mask with one bit per constant records which constants an item has. */
#define CONSTANTS_MAX 64
/* The signs of an outline; keep equal to `key_literals.py`. */
#define OUTLINE_FIELD '\x01'
#define OUTLINE_REST '\x02'
/* The members of a pydantic object: its fields, the set of given fields, and two that are None. */
#define MEMBERS 4

/* The content of a JSON string, between its quotes. */
typedef struct {
    const char *start;
    Py_ssize_t length;
    int has_escapes;
    int is_ascii;
} Span;

/* One attribute: its name, its kind, and whether it may be missing or NULL. */
typedef struct {
    PyObject *name;
    const char *name_bytes;
    Py_ssize_t name_length;
    int is_literal;   /* JSON can write the name without escapes */
    Kind kind;
    Kind element;     /* of a list */
    PyObject *known;  /* a choice: a dict from text to value; a constant: its bytes; a key: its
                         delimiter and its outline; raw: the function that reads it;
                         otherwise NULL */
    int optional;     /* an item may lack it */
    int nullable;     /* {"NULL":true} means no value */
    int keeps_null;   /* ... and becomes None instead of `absent` */
    Py_ssize_t place; /* in the tuple; -1 for a constant or a key, which is checked and left out */
    int is_noted;     /* the model records by name whether it was given */
} Column;

typedef struct {
    PyObject_HEAD
    Column *columns;
    Py_ssize_t count;
    Py_ssize_t width;
    PyObject *absent; /* NULL once the garbage collector has cleared the reader */
    PyObject *decimal;
    PyTypeObject *model; /* NULL: rows are tuples; otherwise they are objects of this pydantic class */
    PyObject *names;     /* the fields, in the order of the columns */
    PyObject *fields;    /* a dict of all fields with their defaults */
    PyObject *always;    /* the fields that count as given in every item */
    PyObject *members;   /* the descriptors of the dict, of the set of given fields, and of two that are None */
} RowReader;

typedef struct {
    PyObject_HEAD
    RowReader *reader;
    Py_buffer data;
    const char *at;
    const char *end;
    int is_array; /* a closing bracket ends the rows, instead of the end of the bytes */
    int is_over;
} Rows;

/* _fast_text.c */

/* Scan a string up to and including its closing quote; the caller has skipped the opening one. */
INTERNAL int take_text(const char **at, const char *end, Span *span);
/* Decode one escape sequence, whose backslash the caller has skipped; return 0 for an invalid one or a lone surrogate. */
INTERNAL int take_escape(const char **at, const char *end, unsigned *code);
INTERNAL PyObject *text_of(const Span *span);

/* _fast_values.c */

/* Load Python's datetime interface; return -1 with an error set when that fails. */
INTERNAL int import_datetime(void);
/* Skip any value that DynamoDB writes. */
INTERNAL int skip_value(const char **at, const char *end);
/* Read one attribute value that is not a list, including the map around it. */
INTERNAL PyObject *take_scalar(const char **at, const char *end, Kind kind, PyObject *known, PyObject *decimal);

/* _fast_items.c */

/* Whether the rows end here. A comma must not precede the end. */
INTERNAL int is_end(Rows *rows);
/* Return the next row, or NULL for input that is not on the fast path. */
INTERNAL PyObject *next_row(Rows *rows);

#endif
