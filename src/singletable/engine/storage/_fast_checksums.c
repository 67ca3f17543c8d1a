/* The checksums of stored rows: of one row, of the rows of a cursor, and of rows that SQLite has joined.

   This module is the compiled form of the functions in row_checksum.py, which describes the checksum. It raises
   NotOnFastPath for every row that does not match its checksum. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAS_FOLDING 1
#include <immintrin.h>
#endif

/* Equal to the version in INTERFACE_VERSIONS of fast_path.py. Increase both when arguments or results change. */
#define INTERFACE_VERSION 2
/* Big-endian: crc32 (4), size (4), bytes of the item (4), bytes of the key (2). */
#define CHECKSUM_BYTES 14
#define KEY_BYTES_MAX 0xFFFF
#define FOLDED_BYTES_MIN 64

typedef struct {
    PyObject *not_on_fast_path; /* the exception of fast_path.py */
} State;

/* crc_tables[n][byte] is the checksum of this byte followed by n zero bytes. */
static uint32_t crc_tables[8][256];
#ifdef HAS_FOLDING
static int can_fold;
#endif

static void
fill_crc_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
        crc_tables[0][byte] = crc;
    }
    for (int table = 1; table < 8; table++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t crc = crc_tables[table - 1][byte];
            crc_tables[table][byte] = crc_tables[0][crc & 0xFF] ^ crc >> 8;
        }
}

static uint32_t
little_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t
big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

/* Continue a checksum, without the inversion at the start and at the end, eight bytes at a time. */
static uint32_t
crc_by_tables(uint32_t crc, const unsigned char *bytes, size_t length)
{
    for (; length >= 8; bytes += 8, length -= 8) {
        uint32_t low = crc ^ little_endian(bytes), high = little_endian(bytes + 4);
        crc = crc_tables[7][low & 0xFF] ^ crc_tables[6][low >> 8 & 0xFF] ^ crc_tables[5][low >> 16 & 0xFF] ^
              crc_tables[4][low >> 24] ^ crc_tables[3][high & 0xFF] ^ crc_tables[2][high >> 8 & 0xFF] ^
              crc_tables[1][high >> 16 & 0xFF] ^ crc_tables[0][high >> 24];
    }
    for (; length > 0; bytes++, length--)
        crc = crc_tables[0][(crc ^ *bytes) & 0xFF] ^ crc >> 8;
    return crc;
}

#ifdef HAS_FOLDING
/* Return x * constants modulo the polynomial, both halves added: the 16 bytes moved ahead by a fixed distance. */
__attribute__((target("pclmul,sse4.1"))) static inline __m128i
folded(__m128i x, __m128i constants)
{
    return _mm_xor_si128(_mm_clmulepi64_si128(x, constants, 0x00), _mm_clmulepi64_si128(x, constants, 0x11));
}

__attribute__((target("pclmul,sse4.1"))) static inline __m128i
loaded(const unsigned char *bytes)
{
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

/* Continue a checksum over `length` bytes, a multiple of 16 and at least 64, by carry-less multiplication: bytes are
   replaced by bytes further ahead that have the same remainder, until 16 bytes remain. */
__attribute__((target("pclmul,sse4.1"))) static uint32_t
crc_by_folding(uint32_t crc, const unsigned char *bytes, size_t length)
{
    /* Reflected remainders of x^544 and x^480 (64 bytes ahead), and of x^160 and x^96 (16 bytes ahead). */
    const __m128i by_64 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4), by_16 = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    __m128i first = _mm_xor_si128(loaded(bytes), _mm_cvtsi32_si128((int)crc));
    __m128i second = loaded(bytes + 16), third = loaded(bytes + 32), fourth = loaded(bytes + 48);
    for (bytes += 64, length -= 64; length >= 64; bytes += 64, length -= 64) {
        first = _mm_xor_si128(folded(first, by_64), loaded(bytes));
        second = _mm_xor_si128(folded(second, by_64), loaded(bytes + 16));
        third = _mm_xor_si128(folded(third, by_64), loaded(bytes + 32));
        fourth = _mm_xor_si128(folded(fourth, by_64), loaded(bytes + 48));
    }
    first = _mm_xor_si128(folded(first, by_16), second);
    first = _mm_xor_si128(folded(first, by_16), third);
    first = _mm_xor_si128(folded(first, by_16), fourth);
    for (; length >= 16; bytes += 16, length -= 16)
        first = _mm_xor_si128(folded(first, by_16), loaded(bytes));
    unsigned char rest[16];
    _mm_storeu_si128((__m128i *)(void *)rest, first);
    return crc_by_tables(0, rest, sizeof rest);
}
#endif

/* Return the same checksum as zlib.crc32(bytes, start). */
static uint32_t
crc32_of(const unsigned char *bytes, size_t length, uint32_t start)
{
    uint32_t crc = ~start;
#ifdef HAS_FOLDING
    if (can_fold && length >= FOLDED_BYTES_MIN) {
        size_t whole = length & ~(size_t)15;
        crc = crc_by_folding(crc, bytes, whole);
        bytes += whole;
        length -= whole;
    }
#endif
    return ~crc_by_tables(crc, bytes, length);
}

static uint32_t
row_crc(const char *key, size_t key_bytes, const char *item, size_t item_bytes, uint32_t size)
{
    return crc32_of((const unsigned char *)item, item_bytes,
                    crc32_of((const unsigned char *)key, key_bytes, size));
}

/* The numbers in a checksum. */
typedef struct {
    uint32_t crc, size, item_bytes, key_bytes;
} Checksum;

static Checksum
parsed(const char *checksum)
{
    const unsigned char *bytes = (const unsigned char *)checksum;
    return (Checksum){big_endian(bytes), big_endian(bytes + 4), big_endian(bytes + 8),
                      (uint32_t)bytes[12] << 8 | bytes[13]};
}

/* Return whether these are a key, an item and their checksum; if so, set the size of the item. */
static int
is_sound(PyObject *key, PyObject *item, PyObject *checksum, uint32_t *size)
{
    if (!PyBytes_CheckExact(key) || !PyBytes_CheckExact(item) || !PyBytes_CheckExact(checksum) ||
        PyBytes_GET_SIZE(checksum) != CHECKSUM_BYTES)
        return 0;
    Checksum expected = parsed(PyBytes_AS_STRING(checksum));
    if (expected.key_bytes != (size_t)PyBytes_GET_SIZE(key) || expected.item_bytes != (size_t)PyBytes_GET_SIZE(item))
        return 0;
    *size = expected.size;
    return row_crc(PyBytes_AS_STRING(key), expected.key_bytes, PyBytes_AS_STRING(item), expected.item_bytes,
                   expected.size) == expected.crc;
}

static int
is_order(const char *left, size_t left_bytes, const char *right, size_t right_bytes, int descending)
{
    int order = memcmp(left, right, left_bytes < right_bytes ? left_bytes : right_bytes);
    if (order == 0)
        order = (left_bytes > right_bytes) - (left_bytes < right_bytes);
    return descending ? order > 0 : order < 0;
}

static PyObject *
not_sound(PyObject *module)
{
    const State *state = PyModule_GetState(module);
    PyErr_SetString(state->not_on_fast_path, "a row does not match its checksum");
    return NULL;
}

static PyObject *
row_checksum(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !PyBytes_CheckExact(args[0]) || !PyBytes_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "row_checksum() takes a key, an item and its size");
        return NULL;
    }
    unsigned long long size = PyLong_AsUnsignedLongLong(args[2]);
    if (PyErr_Occurred())
        return NULL;
    size_t key_bytes = (size_t)PyBytes_GET_SIZE(args[0]), item_bytes = (size_t)PyBytes_GET_SIZE(args[1]);
    if (size > UINT32_MAX || key_bytes > KEY_BYTES_MAX || item_bytes > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a key, an item or its size is too large");
        return NULL;
    }
    uint32_t crc = row_crc(PyBytes_AS_STRING(args[0]), key_bytes, PyBytes_AS_STRING(args[1]), item_bytes,
                           (uint32_t)size);
    uint32_t numbers[3] = {crc, (uint32_t)size, (uint32_t)item_bytes};
    char bytes[CHECKSUM_BYTES];
    for (int i = 0; i < 12; i++)
        bytes[i] = (char)(unsigned char)(numbers[i / 4] >> (24 - 8 * (i % 4)));
    bytes[12] = (char)(unsigned char)(key_bytes >> 8);
    bytes[13] = (char)(unsigned char)key_bytes;
    return PyBytes_FromStringAndSize(bytes, sizeof bytes);
}

static PyObject *
verified_size(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "verified_size() takes a key, an item and a checksum");
        return NULL;
    }
    uint32_t size;
    return is_sound(args[0], args[1], args[2], &size) ? PyLong_FromUnsignedLong(size) : not_sound(module);
}

static PyObject *
verified_join(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !PyBytes_CheckExact(args[0]) || !PyBytes_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "verified_join() takes joined items and heads, and a direction");
        return NULL;
    }
    const char *item = PyBytes_AS_STRING(args[0]), *head = PyBytes_AS_STRING(args[1]);
    size_t items_left = (size_t)PyBytes_GET_SIZE(args[0]), heads_left = (size_t)PyBytes_GET_SIZE(args[1]);
    int descending = args[2] == Py_True;
    Py_ssize_t rows = 0;
    unsigned long long size = 0;
    const char *key = NULL;
    Checksum row = {0, 0, 0, 0};
    for (; heads_left >= CHECKSUM_BYTES; rows++) {
        const char *previous = key;
        size_t previous_bytes = row.key_bytes;
        row = parsed(head);
        key = head + CHECKSUM_BYTES;
        heads_left -= CHECKSUM_BYTES;
        if (rows > 0) {
            if (items_left == 0 || *item != ',')
                return not_sound(module);
            item++;
            items_left--;
        }
        if (row.item_bytes > items_left || row.key_bytes > heads_left ||
            row_crc(key, row.key_bytes, item, row.item_bytes, row.size) != row.crc ||
            (rows > 0 && !is_order(previous, previous_bytes, key, row.key_bytes, descending)))
            return not_sound(module);
        item += row.item_bytes;
        items_left -= row.item_bytes;
        head = key + row.key_bytes;
        heads_left -= row.key_bytes;
        size += row.size;
    }
    if (rows == 0 || items_left || heads_left)
        return not_sound(module);
    return Py_BuildValue("nKII", rows, size, (unsigned int)row.item_bytes, (unsigned int)row.key_bytes);
}

/* A growing array of bytes. */
typedef struct {
    char *bytes;
    size_t used, room;
} Buffer;

static int
append(Buffer *buffer, const char *bytes, size_t length, int is_first)
{
    if (buffer->room - buffer->used < length + 1) {
        size_t room = 2 * (buffer->used + length) + 4096;
        char *larger = PyMem_Realloc(buffer->bytes, room);
        if (larger == NULL)
            return PyErr_NoMemory(), -1;
        buffer->bytes = larger;
        buffer->room = room;
    }
    if (!is_first)
        buffer->bytes[buffer->used++] = ',';
    memcpy(buffer->bytes + buffer->used, bytes, length);
    buffer->used += length;
    return 0;
}

/* Append the verified rows of an iterator; set `last` to the row that reaches a limit. Return -1 with an exception for
   an error, and -1 without one for a row that does not match its checksum. */
static int
append_rows(PyObject *rows, Py_ssize_t count_max, long long bytes_max, int descending, Buffer *buffer,
            Py_ssize_t *count, long long *read_bytes, PyObject **last)
{
    PyObject *row, *previous = NULL;
    int result = 0;
    while (*last == NULL && (row = PyIter_Next(rows)) != NULL) {
        uint32_t size = 0;
        PyObject *key = PyTuple_CheckExact(row) && PyTuple_GET_SIZE(row) == 3 ? PyTuple_GET_ITEM(row, 0) : NULL;
        PyObject *item = key == NULL ? NULL : PyTuple_GET_ITEM(row, 1);
        if (key == NULL || !is_sound(key, item, PyTuple_GET_ITEM(row, 2), &size) ||
            (previous != NULL && !is_order(PyBytes_AS_STRING(previous), (size_t)PyBytes_GET_SIZE(previous),
                                           PyBytes_AS_STRING(key), (size_t)PyBytes_GET_SIZE(key), descending)) ||
            append(buffer, PyBytes_AS_STRING(item), (size_t)PyBytes_GET_SIZE(item), *count == 0) < 0) {
            Py_DECREF(row);
            result = -1;
            break;
        }
        Py_XSETREF(previous, Py_NewRef(key));
        *read_bytes += size;
        if (++*count == count_max || *read_bytes >= bytes_max)
            *last = Py_NewRef(item);
        Py_DECREF(row);
    }
    Py_XDECREF(previous);
    return result < 0 || PyErr_Occurred() ? -1 : 0;
}

static PyObject *
joined_rows(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "joined_rows() takes rows, a number of items and of bytes, and a direction");
        return NULL;
    }
    Py_ssize_t count_max = PyLong_AsSsize_t(args[1]);
    long long bytes_max = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred())
        return NULL;
    Buffer buffer = {NULL, 0, 0};
    Py_ssize_t found = 0;
    long long read_bytes = 0;
    PyObject *last = NULL, *result = NULL;
    if (append_rows(args[0], count_max, bytes_max, args[3] == Py_True, &buffer, &found, &read_bytes, &last) == 0)
        result = Py_BuildValue("y#nLO", buffer.used ? buffer.bytes : "", (Py_ssize_t)buffer.used, found, read_bytes,
                               last == NULL ? Py_None : last);
    else if (!PyErr_Occurred())
        not_sound(module);
    Py_XDECREF(last);
    PyMem_Free(buffer.bytes);
    return result;
}

static PyMethodDef functions[] = {
    {"row_checksum", (PyCFunction)(void (*)(void))row_checksum, METH_FASTCALL,
     PyDoc_STR("Return the checksum of a row: of its key, its item and the size of the item.")},
    {"verified_size", (PyCFunction)(void (*)(void))verified_size, METH_FASTCALL,
     PyDoc_STR("Return the size of an item whose row matches its checksum.")},
    {"verified_join", (PyCFunction)(void (*)(void))verified_join, METH_FASTCALL,
     PyDoc_STR("Verify joined rows; return their number, their size, and the lengths of the last item and key.")},
    {"joined_rows", (PyCFunction)(void (*)(void))joined_rows, METH_FASTCALL,
     PyDoc_STR("Verify rows and join their items, up to a number of items or bytes.")},
    {NULL},
};

static int
exec_module(PyObject *module)
{
    fill_crc_tables();
#ifdef HAS_FOLDING
    can_fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
    State *state = PyModule_GetState(module);
    PyObject *fast_path = PyImport_ImportModule("singletable.values.fast_path");
    if (fast_path == NULL)
        return -1;
    state->not_on_fast_path = PyObject_GetAttrString(fast_path, "NotOnFastPath");
    Py_DECREF(fast_path);
    if (state->not_on_fast_path == NULL)
        return -1;
    return PyModule_AddIntConstant(module, "INTERFACE_VERSION", INTERFACE_VERSION);
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
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* the module reads only immutable bytes and its own references */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_fast_checksums",
    .m_doc = PyDoc_STR("The compiled fast path for the checksums of stored rows."),
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC
PyInit__fast_checksums(void)
{
    return PyModuleDef_Init(&definition);
}
