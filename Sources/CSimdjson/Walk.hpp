#ifndef FANFARE_WALK_HPP
#define FANFARE_WALK_HPP

#include "Escapes.hpp"
#include "Parser.hpp"

namespace fanfare {

inline bool is_space(uint8_t byte) noexcept {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

inline bool is_digit(uint8_t byte) noexcept { return uint8_t(byte - '0') < 10; }

/// Whether a text is exactly one number by the grammar of RFC 8259 section 6.
inline bool is_number(const uint8_t *at, const uint8_t *end) noexcept {
    if (at < end && *at == '-') at++;
    if (at == end || !is_digit(*at)) return false;
    if (*at++ != '0') {
        while (at < end && is_digit(*at)) at++;
    }
    if (at < end && *at == '.') {
        if (++at == end || !is_digit(*at)) return false;
        while (at < end && is_digit(*at)) at++;
    }
    if (at < end && (*at | 0x20) == 'e') {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (at == end || !is_digit(*at)) return false;
        while (at < end && is_digit(*at)) at++;
    }
    return at == end;
}

/// Walks over the tokens of one text after another, checks the grammar and picks the wanted values.
///
/// What simdjson's first stage promises after success, and what is built on it:
/// - the offsets are those of `{ } [ ] : ,`, of opening quotes, and of each first byte of anything
///   else that does not follow directly on such a byte; so from a token to the next there are only
///   the token and white space, and a string's closing quote is the last byte that is not white space;
/// - inside strings there is no control character, hence no line end: a line cannot spoil the next;
/// - strings are UTF-8, and so is the rest or it is no token;
/// - behind the last offset stands the length, so looking one token ahead is always allowed.
/// Everything else is checked here: escapes, numbers, literals, the order of tokens.
template <bool picks>
class Walk {
public:
    /// Where values without escapes go (only with `picks`): `scratch` is what offset
    /// `scratch_offset` of the caller's numbering is.
    struct Scratch {
        uint8_t *next = nullptr;
        size_t offset = 0;
    };

    Scratch scratch;

    /// - bytes: the text that was indexed, of `length` bytes
    /// - origin: what to add to an offset in it for the offset in a field
    Walk(fanfare_json_parser &parser, const uint8_t *bytes, size_t length, size_t origin) noexcept
        : parser(parser), bytes(bytes), length(uint32_t(length)), origin(uint32_t(origin)),
          token(parser.tokens()), backslash(backslash_from(0)) {}

    /// Whether there is a token before an offset.
    bool has_token(uint32_t limit) const noexcept { return *token < limit; }

    /// Steps over all tokens before an offset.
    void skip(uint32_t limit) noexcept {
        while (*token < limit) token++;
    }

    /// Where the fault of the last text is.
    uint32_t fault_offset() const noexcept { return fault_at; }

    /// Checks the text that starts at the next token and ends at an offset. There is a token.
    /// - fields: the row's values, zero before (only with `picks`)
    uint32_t text(uint32_t limit, fanfare_json_field *fields) noexcept {
        end = limit;
        if constexpr (picks) parser.keys.begin(fields);
        bool is_object = bytes[*token] == '{';
        if (!value()) return FANFARE_JSON_INVALID;
        if (*token < end) {
            fault_at = *token;
            return FANFARE_JSON_INVALID;
        }
        return is_object ? FANFARE_JSON_OK : FANFARE_JSON_NOT_AN_OBJECT;
    }

private:
    bool fail(uint32_t offset) noexcept {
        fault_at = offset;
        return false;
    }

    /// The next token's first byte; 0 at the end, which is no token's first byte.
    uint8_t next(uint32_t &at) noexcept {
        at = *token;
        if (at >= end) {
            at = end;
            return 0;
        }
        token++;
        return bytes[at];
    }

    /// The end of the token at `at`, which is the last one that was taken.
    uint32_t token_end(uint32_t at) const noexcept {
        uint32_t stop = *token < end ? *token : end;
        while (stop > at && is_space(bytes[stop - 1])) stop--;
        return stop;
    }

    /// The whole value and all that is in it. The stack is our own: the depth is the input's choice.
    bool value() noexcept {
        uint32_t depth = 0;
        uint32_t at;
        int32_t key = Keys::none;
        uint8_t byte = next(at);
        while (true) {
            // A value starts at `at`, and `key` is the wanted key that it belongs to.
            if (byte == '{' || byte == '[') {
                if (depth == fanfare_json_parser::depth_max) return fail(at);
                bool is_array = byte == '[';
                int32_t inner = is_array ? Keys::none : inner_keys(depth, key);
                parser.stack[depth++] = {inner, key, at, is_array};
                byte = next(at);
                if (byte == (is_array ? ']' : '}')) {
                    close(--depth, at);
                } else if (is_array) {
                    key = Keys::none;
                    continue;
                } else {
                    if (!member(depth, byte, at, key)) return false;
                    byte = next(at);
                    continue;
                }
            } else if (!scalar(byte, at, key)) {
                return false;
            }
            // A value has ended. More of them, or the end of what it is in?
            while (true) {
                if (depth == 0) return true;
                bool is_array = parser.stack[depth - 1].is_array;
                byte = next(at);
                if (byte == ',') {
                    byte = next(at);
                    key = Keys::none;
                    if (!is_array) {
                        if (!member(depth, byte, at, key)) return false;
                        byte = next(at);
                    }
                    break;
                }
                if (byte != (is_array ? ']' : '}')) return fail(at);
                close(--depth, at);
            }
        }
    }

    /// Where the members of an object are looked up, which is the value of `key`.
    int32_t inner_keys(uint32_t depth, int32_t key) const noexcept {
        if (depth == 0) return Keys::root;
        return key != Keys::none && parser.keys.leads_further(key) ? key : Keys::none;
    }

    /// The name of a member and its colon.
    bool member(uint32_t depth, uint8_t byte, uint32_t at, int32_t &key) noexcept {
        if (byte != '"') return fail(at);
        uint32_t close;
        bool has_escapes;
        if (!string(at, close, has_escapes)) return false;
        if constexpr (picks) key = find(parser.stack[depth - 1].keys, at + 1, close, has_escapes);
        if (next(at) != ':') return fail(at);
        return true;
    }

    int32_t find(int32_t parent, uint32_t start, uint32_t stop, bool has_escapes) noexcept {
        if (parent == Keys::none) return Keys::none;
        const uint8_t *name = bytes + start;
        size_t count = stop - start;
        if (has_escapes) {
            // Written where the next value will go: the name is not kept.
            count = size_t(unescape<true>(name, bytes + stop, scratch.next).destination - scratch.next);
            name = scratch.next;
        }
        int32_t key = parser.keys.find(parent, name, count);
        if (key != Keys::none && parser.keys.leads_further(key)) parser.keys.forget_below(key);
        return key;
    }

    /// The string that starts with the quote at `at`: where its other quote is.
    bool string(uint32_t at, uint32_t &close, bool &has_escapes) noexcept {
        uint32_t stop = token_end(at);
        if (stop < at + 2 || bytes[stop - 1] != '"') return fail(at);
        close = stop - 1;
        // The next backslash is looked for once, not once a string: most texts have none.
        if (backslash < at) backslash = backslash_from(at);
        has_escapes = backslash < close;
        if (has_escapes) {
            auto result = unescape<false>(bytes + at + 1, bytes + close, nullptr);
            if (result.source != bytes + close) return fail(uint32_t(result.source - bytes));
        }
        return true;
    }

    uint32_t backslash_from(uint32_t offset) const noexcept {
        auto found = memchr(bytes + offset, '\\', length - offset);
        return found ? uint32_t(static_cast<const uint8_t *>(found) - bytes) : length;
    }

    bool scalar(uint8_t byte, uint32_t at, int32_t key) noexcept {
        if (byte == '"') {
            uint32_t close;
            bool has_escapes;
            if (!string(at, close, has_escapes)) return false;
            if constexpr (picks) {
                if (key != Keys::none) record_string(key, at + 1, close, has_escapes);
            }
            return true;
        }
        uint32_t stop = token_end(at);
        const uint8_t *start = bytes + at;
        uint32_t count = stop - at;
        bool is_valid;
        switch (byte) {
        case 't': is_valid = count == 4 && memcmp(start, "true", 4) == 0; break;
        case 'n': is_valid = count == 4 && memcmp(start, "null", 4) == 0; break;
        case 'f': is_valid = count == 5 && memcmp(start, "false", 5) == 0; break;
        default: is_valid = is_number(start, bytes + stop); break;
        }
        if (!is_valid) return fail(at);
        if constexpr (picks) {
            if (key != Keys::none) record(key, byte == 'n' ? FANFARE_JSON_NULL : FANFARE_JSON_RAW, at, stop);
        }
        return true;
    }

    void close(uint32_t depth, uint32_t at) noexcept {
        if constexpr (picks) {
            const auto &frame = parser.stack[depth];
            if (frame.wanted != Keys::none && parser.keys.is_wanted(frame.wanted)) {
                record(frame.wanted, FANFARE_JSON_RAW, frame.start, at + 1);
            }
        }
    }

    void record(int32_t key, uint32_t kind, uint32_t start, uint32_t stop) noexcept {
        parser.keys.record(key, {origin + start, kind << 30 | (stop - start)});
    }

    void record_string(int32_t key, uint32_t start, uint32_t stop, bool has_escapes) noexcept {
        if (!has_escapes) {
            record(key, FANFARE_JSON_TEXT, start, stop);
        } else if (parser.keys.is_wanted(key)) {
            uint8_t *after = unescape<true>(bytes + start, bytes + stop, scratch.next).destination;
            uint32_t count = uint32_t(after - scratch.next);
            parser.keys.record(
                key, {uint32_t(scratch.offset), uint32_t(FANFARE_JSON_TEXT) << 30 | count});
            scratch.next = after;
            scratch.offset += count;
        }
    }

    fanfare_json_parser &parser;
    const uint8_t *bytes;
    uint32_t length;
    uint32_t origin;
    const uint32_t *token;
    uint32_t end = 0;
    uint32_t fault_at = 0;
    /// The first backslash at or after the last string that was looked at, or the length.
    uint32_t backslash;
};

} // namespace fanfare

#endif
