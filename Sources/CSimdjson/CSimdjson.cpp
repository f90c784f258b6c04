#include "CSimdjson.h"

#include "Fault.hpp"
#include "Walk.hpp"

// The Swift side hands over memory of its own types, so their layout is pinned here and in a test.
static_assert(sizeof(fanfare_json_field) == 8 && alignof(fanfare_json_field) == 4);
static_assert(sizeof(fanfare_json_row) == 24 && alignof(fanfare_json_row) == 8);
static_assert(offsetof(fanfare_json_row, start) == 8 && offsetof(fanfare_json_row, length) == 12);
static_assert(
    offsetof(fanfare_json_row, fault_code) == 16 && offsetof(fanfare_json_row, fault_column) == 20);

using fanfare::Walk;

fanfare_json_parser *fanfare_json_create(void) noexcept { return new fanfare_json_parser; }

void fanfare_json_destroy(fanfare_json_parser *parser) noexcept { delete parser; }

void fanfare_json_want(
    fanfare_json_parser *parser, const uint8_t *name, size_t length, uint32_t slot) noexcept {
    parser->keys.want(std::string(reinterpret_cast<const char *>(name), length), slot);
}

namespace {

template <bool picks>
fanfare_json_fault walk(
    fanfare_json_parser &parser, const uint8_t *bytes, size_t length, uint8_t *scratch,
    fanfare_json_field *fields) noexcept {
    // Offsets have 32 bits and lengths 30. Nothing here is ever that long, and it must not wrap.
    if (length >= size_t(1) << 30) return {FANFARE_JSON_INVALID, 0};
    if (parser.index(bytes, length) != simdjson::SUCCESS) return fanfare::explain(bytes, length);
    Walk<picks> walk(parser, bytes, length, 0);
    walk.scratch = {scratch, length};
    if (!walk.has_token(uint32_t(length))) return {FANFARE_JSON_INVALID, 0};
    uint32_t code = walk.text(uint32_t(length), fields);
    if (code == FANFARE_JSON_INVALID) return fanfare::explain(bytes, length, walk.fault_offset());
    return {code, 0};
}

} // namespace

fanfare_json_fault fanfare_json_check(
    fanfare_json_parser *parser, const uint8_t *bytes, size_t length) noexcept {
    return walk<false>(*parser, bytes, length, nullptr, nullptr);
}

fanfare_json_fault fanfare_json_pick(
    fanfare_json_parser *parser, const uint8_t *bytes, size_t length, uint8_t *scratch,
    fanfare_json_field *fields, size_t field_count) noexcept {
    memset(fields, 0, field_count * sizeof *fields);
    auto fault = walk<true>(*parser, bytes, length, scratch, fields);
    if (fault.code != FANFARE_JSON_OK) memset(fields, 0, field_count * sizeof *fields);
    return fault;
}

const uint32_t *fanfare_json_tokens(const fanfare_json_parser *parser, size_t *count) noexcept {
    *count = parser->stage->n_structural_indexes;
    return parser->tokens();
}

size_t fanfare_json_unescape(const uint8_t *bytes, size_t length, uint8_t *destination) noexcept {
    auto result = fanfare::unescape<true>(bytes, bytes + length, destination);
    return size_t(result.destination - destination);
}

size_t fanfare_json_minify(const uint8_t *bytes, size_t length, uint8_t *destination) noexcept {
    size_t count = 0;
    auto error = simdjson::minify(
        reinterpret_cast<const char *>(bytes), length, reinterpret_cast<char *>(destination), count);
    // The only error is a string without its end, and the text has been checked.
    return error ? 0 : count;
}
