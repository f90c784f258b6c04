#ifndef FANFARE_CSIMDJSON_H
#define FANFARE_CSIMDJSON_H

// A C face on simdjson, of which one thing is used: its first stage, which finds the structure of a
// text (and checks UTF-8, quotes and control characters) with the processor's vector instructions,
// chosen at run time. Walking that structure is done here, because neither of simdjson's own
// interfaces does what a row needs: the DOM does not know where a value stood in the input, and
// On-Demand does not check what it steps over.
//
// No function throws, none writes to its input or reads beyond it. Running out of memory ends the
// process, as it does in Swift.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define FANFARE_NOEXCEPT noexcept
#else
#define FANFARE_NOEXCEPT
#endif

/// The memory that parsing needs, and the keys that are wanted. For one thread at a time.
typedef struct fanfare_json_parser fanfare_json_parser;

/// What is wrong with a text. The numbers are those of `RowFault.Code`.
enum {
    FANFARE_JSON_OK = 0,
    FANFARE_JSON_INVALID = 7,
    FANFARE_JSON_NOT_AN_OBJECT = 8,
    FANFARE_JSON_INVALID_UTF8 = 9,
};

/// What a field is. The numbers are those of `Field.Kind`.
enum {
    FANFARE_JSON_MISSING = 0,
    FANFARE_JSON_TEXT = 1,
    FANFARE_JSON_RAW = 2,
    FANFARE_JSON_NULL = 3,
};

/// A fault and the byte where it was seen, counted from 1; 0 when that is not known.
typedef struct {
    uint32_t code;
    uint32_t column;
} fanfare_json_fault;

/// The layout of `Field`: a kind in the two highest bits, a length in the others.
typedef struct {
    uint32_t start;
    uint32_t kind_and_length;
} fanfare_json_field;

/// The layout of `RowBatch.Row`.
typedef struct {
    uint64_t line;
    uint32_t start;
    uint32_t length;
    uint8_t fault_code;
    uint8_t unused[3];
    uint32_t fault_column;
} fanfare_json_row;

/// A batch: what there is to parse, and how far parsing has come.
typedef struct {
    /// Input, and behind it the place for values without their escapes; offsets count from here.
    uint8_t *bytes;
    /// The input that is not yet made into rows is `parsed ..< input_end`.
    size_t parsed;
    size_t input_end;
    /// Where the next value without escapes goes. There are as many bytes as there is input.
    size_t scratch_end;
    fanfare_json_field *fields;
    fanfare_json_row *rows;
    size_t slot_count;
    size_t row_capacity;
    size_t row_count;
    /// The number of the line at `parsed`.
    uint64_t line;
    /// Whether the last line may lack its line end.
    bool is_final;
    /// The bytes that were indexed, each as often as it was.
    size_t indexed;
} fanfare_json_lines;

fanfare_json_parser *fanfare_json_create(void) FANFARE_NOEXCEPT;
void fanfare_json_destroy(fanfare_json_parser *parser) FANFARE_NOEXCEPT;

/// Asks for the value of a key, or of a path of keys with dots between them, in a slot.
void fanfare_json_want(
    fanfare_json_parser *parser, const uint8_t *name, size_t length, uint32_t slot) FANFARE_NOEXCEPT;

/// Makes rows out of lines with one object each. Fields must be zero before.
/// Returns whether it stopped because there is no room for another row.
bool fanfare_json_parse_lines(
    fanfare_json_parser *parser, fanfare_json_lines *lines) FANFARE_NOEXCEPT;

/// Checks a whole text. `NOT_AN_OBJECT` when it is JSON of another kind.
fanfare_json_fault fanfare_json_check(
    fanfare_json_parser *parser, const uint8_t *bytes, size_t length) FANFARE_NOEXCEPT;

/// Takes the wanted values out of one object. Fields are set to zero first; those of kind `TEXT` with
/// escapes lie in `scratch`, which has room for `length` bytes, as offsets from `length` on.
fanfare_json_fault fanfare_json_pick(
    fanfare_json_parser *parser, const uint8_t *bytes, size_t length, uint8_t *scratch,
    fanfare_json_field *fields, size_t field_count) FANFARE_NOEXCEPT;

/// Where the tokens of the text that was checked last begin, in order, and how many there are.
/// Valid until the parser's next use, and only after a check that found JSON.
const uint32_t *fanfare_json_tokens(
    const fanfare_json_parser *parser, size_t *count) FANFARE_NOEXCEPT;

/// Takes the escapes out of what stands between the quotes of a string that has been checked.
/// Writes at most `length` bytes and returns how many.
size_t fanfare_json_unescape(
    const uint8_t *bytes, size_t length, uint8_t *destination) FANFARE_NOEXCEPT;

/// Copies a text that has been checked without the white space between its tokens.
/// Writes at most `length` bytes, and returns how many.
size_t fanfare_json_minify(
    const uint8_t *bytes, size_t length, uint8_t *destination) FANFARE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
