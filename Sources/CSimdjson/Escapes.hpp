#ifndef FANFARE_ESCAPES_HPP
#define FANFARE_ESCAPES_HPP

#include <cstdint>
#include <cstring>

namespace fanfare {

/// Where reading a string with escapes stopped: at its end, or at a bad escape.
struct Unescaped {
    const uint8_t *source;
    uint8_t *destination;
};

inline int hex_value(uint8_t byte) noexcept {
    if (byte >= '0' && byte <= '9') return byte - '0';
    uint8_t letter = byte | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// Four hex digits, or -1.
inline int32_t hex4(const uint8_t *at, const uint8_t *end) noexcept {
    if (end - at < 4) return -1;
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(at[i]);
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

inline uint8_t *put_utf8(uint32_t scalar, uint8_t *to) noexcept {
    if (scalar < 0x80) {
        *to++ = uint8_t(scalar);
    } else if (scalar < 0x800) {
        *to++ = uint8_t(0xC0 | scalar >> 6);
        *to++ = uint8_t(0x80 | (scalar & 0x3F));
    } else if (scalar < 0x10000) {
        *to++ = uint8_t(0xE0 | scalar >> 12);
        *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
        *to++ = uint8_t(0x80 | (scalar & 0x3F));
    } else {
        *to++ = uint8_t(0xF0 | scalar >> 18);
        *to++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
        *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
        *to++ = uint8_t(0x80 | (scalar & 0x3F));
    }
    return to;
}

/// What a one-letter escape stands for, or 0.
inline uint8_t short_escape(uint8_t letter) noexcept {
    switch (letter) {
    case '"': case '\\': case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

/// Reads one `\u` escape, or two that make a surrogate pair, at the backslash `at`.
///
/// A surrogate on its own is allowed by the grammar of RFC 8259, but there is no UTF-8 for it, so
/// it is a fault: nothing that we could send would be what the row says.
/// Returns the number of bytes read, or 0.
inline int unicode_escape(const uint8_t *at, const uint8_t *end, uint32_t &scalar) noexcept {
    int32_t unit = hex4(at + 2, end);
    if (unit < 0) return 0;
    scalar = uint32_t(unit);
    if ((unit & 0xF800) != 0xD800) return 6;
    if (unit >= 0xDC00 || end - at < 12 || at[6] != '\\' || at[7] != 'u') return 0;
    int32_t low = hex4(at + 8, end);
    if (low < 0 || (low & 0xFC00) != 0xDC00) return 0;
    scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (uint32_t(low) & 0x3FF);
    return 12;
}

/// Checks the escapes in `source ..< end`, and with `writes` copies the text without them.
///
/// An escape is never shorter than the UTF-8 that it stands for, so `to` needs no more bytes than
/// the source has. In case of a fault, `source` of the result is the backslash, else `end`.
template <bool writes>
inline Unescaped unescape(const uint8_t *source, const uint8_t *end, uint8_t *to) noexcept {
    while (true) {
        auto slash = static_cast<const uint8_t *>(memchr(source, '\\', size_t(end - source)));
        const uint8_t *stop = slash ? slash : end;
        if constexpr (writes) {
            memcpy(to, source, size_t(stop - source));
            to += stop - source;
        }
        if (!slash) return {end, to};
        if (end - slash < 2) return {slash, to};
        if (slash[1] == 'u') {
            uint32_t scalar;
            int length = unicode_escape(slash, end, scalar);
            if (length == 0) return {slash, to};
            if constexpr (writes) to = put_utf8(scalar, to);
            source = slash + length;
        } else {
            uint8_t byte = short_escape(slash[1]);
            if (byte == 0) return {slash, to};
            if constexpr (writes) *to++ = byte;
            source = slash + 2;
        }
    }
}

} // namespace fanfare

#endif
