#include <optional>

#include "Fault.hpp"
#include "Walk.hpp"

// What to know before you change this: lines are indexed many at a time, because starting simdjson's
// first stage costs as much as a whole short line. That is sound only while the index can be trusted
// for each line by itself. If it succeeds, no string contains a line end (it would be a control
// character), so at each line end the scanner was outside strings. If it fails, one line of the chunk
// is to blame, and each line is indexed alone. The one gap: simdjson's implementation without vector
// instructions steps over the byte after a backslash without looking, so there a string can swallow a
// line end; a chunk therefore ends before a line that ends with a backslash, which is a chunk by itself.
// So no byte of any line is indexed more than twice.

namespace {

using fanfare::Walk;
using simdjson::SUCCESS;

/// Input that is indexed at once: the tokens of 16 KiB fit the first or second level cache, and the
/// start of the first stage is already spread over a hundred rows.
constexpr size_t chunk_max = 16 * 1024;
/// After a bad line chunks are short, so that a file full of them is not indexed twice over.
constexpr size_t chunk_min = 1024;

class Lines {
public:
    Lines(fanfare_json_parser &parser, fanfare_json_lines &lines) noexcept
        : parser(parser), lines(lines), chunk_end(lines.parsed) {}

    bool run() noexcept {
        while (lines.parsed < chunk_end || next_chunk()) {
            const uint8_t *start = lines.bytes + lines.parsed;
            auto line_end = static_cast<const uint8_t *>(memchr(start, '\n', chunk_end - lines.parsed));
            size_t length = line_end ? size_t(line_end - start) : chunk_end - lines.parsed;
            if (!walk ? !parse_alone(start, length) : !parse_indexed(start, length)) return true;
            lines.parsed += length + (line_end ? 1 : 0);
            lines.line++;
        }
        return false;
    }

private:
    /// Finds the lines to be indexed together, which are whole lines. False if there is none.
    bool next_chunk() noexcept {
        const uint8_t *start = lines.bytes + lines.parsed;
        size_t left = lines.input_end - lines.parsed;
        if (left == 0) return false;
        size_t part = std::min(left, chunk_size);
        auto last = static_cast<const uint8_t *>(memrchr(start, '\n', part));
        if (!last && part < left) {
            last = static_cast<const uint8_t *>(memchr(start + part, '\n', left - part));
        }
        if (!last && !lines.is_final) return false;
        size_t length = last ? size_t(last - start) + 1 : left;
        bool has_backslash = false;
        length = before_backslash(start, length, has_backslash);
        chunk_end = lines.parsed + length;
        walk.reset();
        if (has_backslash) return true;
        if (index(start, length)) {
            begin(start, length);
            chunk_size = std::min(chunk_max, 2 * chunk_size);
        } else {
            chunk_size = chunk_min;
        }
        return true;
    }

    /// The length of the lines before the first one that ends with a backslash, or of that one if it is
    /// the first.
    static size_t before_backslash(const uint8_t *start, size_t length, bool &is_first) noexcept {
        const uint8_t *found = nullptr;
        // memmem looks at each byte, and memchr at 32 at once: lines are long.
        for (size_t at = 0; !found && at < length; ++at) {
            auto feed = static_cast<const uint8_t *>(memchr(start + at, '\n', length - at));
            if (!feed) break;
            at = size_t(feed - start);
            if (at > 0 && feed[-1] == '\\') found = feed - 1;
        }
        if (!found && start[length - 1] == '\\') found = start + length - 1;
        if (!found) return length;
        auto line_end = static_cast<const uint8_t *>(memrchr(start, '\n', size_t(found - start)));
        if (line_end) return size_t(line_end - start) + 1;
        is_first = true;
        return std::min(length, size_t(found - start) + 2);
    }

    bool index(const uint8_t *start, size_t length) noexcept {
        lines.indexed += length;
        return parser.index(start, length) == SUCCESS;
    }

    void begin(const uint8_t *start, size_t length) noexcept {
        chunk = start;
        walk.emplace(parser, start, length, size_t(start - lines.bytes));
        walk->scratch = {lines.bytes + lines.scratch_end, lines.scratch_end};
    }

    /// A line by the index of its chunk. False if there is no room for its row.
    bool parse_indexed(const uint8_t *start, size_t length) noexcept {
        uint32_t limit = uint32_t(size_t(start - chunk) + length);
        // White space has no tokens, and neither has a blank line.
        if (!walk->has_token(limit)) return true;
        if (lines.row_count == lines.row_capacity) return false;
        fanfare_json_field *fields = lines.fields + lines.row_count * lines.slot_count;
        uint32_t code = walk->text(limit, fields);
        if (code == FANFARE_JSON_OK) {
            lines.scratch_end = walk->scratch.offset;
        } else {
            memset(fields, 0, lines.slot_count * sizeof *fields);
            walk->scratch = {lines.bytes + lines.scratch_end, lines.scratch_end};
            walk->skip(limit);
        }
        append(start, length, code == FANFARE_JSON_INVALID
            ? fanfare::explain(start, length, walk->fault_offset() - uint32_t(start - chunk))
            : fanfare_json_fault{code, 0});
        return true;
    }

    /// A line by an index of its own.
    bool parse_alone(const uint8_t *start, size_t length) noexcept {
        bool has_room = true;
        if (index(start, length)) {
            begin(start, length);
            has_room = parse_indexed(start, length);
            walk.reset();
        } else if (lines.row_count < lines.row_capacity) {
            append(start, length, fanfare::explain(start, length));
        } else {
            has_room = false;
        }
        return has_room;
    }

    void append(const uint8_t *start, size_t length, fanfare_json_fault fault) noexcept {
        if (length > 0 && start[length - 1] == '\r') length--;
        lines.rows[lines.row_count++] = {
            lines.line, uint32_t(start - lines.bytes), uint32_t(length),
            uint8_t(fault.code), {0, 0, 0}, fault.column};
    }

    fanfare_json_parser &parser;
    fanfare_json_lines &lines;
    size_t chunk_end;
    size_t chunk_size = chunk_max;
    const uint8_t *chunk = nullptr;
    /// Over the chunk; nothing when its lines have to be indexed alone.
    std::optional<Walk<true>> walk;
};

} // namespace

bool fanfare_json_parse_lines(fanfare_json_parser *parser, fanfare_json_lines *lines) noexcept {
    return Lines(*parser, *lines).run();
}
