#ifndef FANFARE_FAULT_HPP
#define FANFARE_FAULT_HPP

#include <cstddef>
#include <cstdint>

#include "CSimdjson.h"

namespace fanfare {

/// The offset of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7), or the
/// length. Only for texts of which that is known already: it goes byte by byte.
inline size_t invalid_utf8_offset(const uint8_t *bytes, size_t length) noexcept {
    size_t at = 0;
    while (at < length) {
        uint8_t lead = bytes[at];
        size_t more = lead < 0x80 ? 0 : lead < 0xC2 ? 4 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : 4;
        if (more == 4 || length - at <= more) return at;
        if (more > 0) {
            uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            if (bytes[at + 1] < low || bytes[at + 1] > high) return at;
        }
        for (size_t i = 2; i <= more; i++) {
            if (bytes[at + i] < 0x80 || bytes[at + i] > 0xBF) return at;
        }
        at += more + 1;
    }
    return length;
}

/// Finds out why a text could not be indexed: UTF-8, a control character in a string, or a string
/// without its end. simdjson says which, but not where.
inline fanfare_json_fault explain(const uint8_t *bytes, size_t length) noexcept {
    size_t at = invalid_utf8_offset(bytes, length);
    if (at < length) return {FANFARE_JSON_INVALID_UTF8, uint32_t(at + 1)};
    size_t quote = length;
    for (at = 0; at < length; at++) {
        if (bytes[at] == '\\') {
            // What follows is neither an end of a string nor a control character that may stand there.
            if (at + 1 < length && bytes[at + 1] >= 0x20) at++;
        } else if (bytes[at] == '"') {
            quote = quote == length ? at : length;
        } else if (bytes[at] < 0x20 && quote < length) {
            return {FANFARE_JSON_INVALID, uint32_t(at + 1)};
        }
    }
    return {FANFARE_JSON_INVALID, quote < length ? uint32_t(quote + 1) : 0};
}

/// The fault of a text that could be indexed but not walked over.
///
/// simdjson without vector instructions checks UTF-8 only inside strings; with them this finds nothing.
inline fanfare_json_fault explain(const uint8_t *bytes, size_t length, uint32_t walk_offset) noexcept {
    size_t at = invalid_utf8_offset(bytes, length);
    if (at < length) return {FANFARE_JSON_INVALID_UTF8, uint32_t(at + 1)};
    return {FANFARE_JSON_INVALID, walk_offset + 1};
}

} // namespace fanfare

#endif
