// Passing over lines, for which Swift has no vectors of 32 bytes on a processor that is found at run time.
#ifndef FANFARE_LINES_H
#define FANFARE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Lines to pass over: from the beginning of one to the end of the bytes at hand. */
struct fanfare_lines {
    const unsigned char *start, *end;
    /* CSV: the byte between fields, and the byte that opens and closes a quoted one, 0 for none. */
    unsigned char delimiter, quote;
    /* The most rows to pass over. */
    size_t most;
    /* What was passed over; `start` is behind it, at the beginning of a line. */
    size_t rows, lines;
};

enum { fanfare_lines_block = 128 };

typedef unsigned char fanfare_bytes32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef signed char fanfare_signed32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t fanfare_words4 __attribute__((vector_size(32)));

/* The sum of 32 counters. */
#define fanfare_lines_sum(counters) __extension__({ \
    fanfare_words4 words = (fanfare_words4)(counters); \
    words = (words & 0x00FF00FF00FF00FF) + (words >> 8 & 0x00FF00FF00FF00FF); \
    (size_t)((words[0] + words[1] + words[2] + words[3]) * 0x0001000100010001 >> 48); \
})

/* Passes over blocks in which each line feed ends a row, and nothing else matters: in CSV there is no quote, and each
   line begins with a byte from 0x0E to 0x7F other than the delimiter (so it is not blank); in NDJSON each line begins
   with a brace. Reads one byte behind the last block. Counts the line feeds; returns the number of blocks. */
__attribute__((always_inline)) static inline size_t fanfare_lines_plain_blocks(
    const unsigned char *bytes, size_t blocks, unsigned char quote, unsigned char delimiter, int is_json,
    size_t *line_feeds) {
    const unsigned char *at = bytes, *end = bytes + blocks * fanfare_lines_block, *part_end;
    do {
        fanfare_bytes32 count = {0};
        /* Each of the 32 counters grows by 4 a block, at most. */
        part_end = (size_t)(end - at) > 63 * fanfare_lines_block ? at + 63 * fanfare_lines_block : end;
        for (; at < part_end; at += fanfare_lines_block) {
            fanfare_bytes32 feeds = {0}, bad = {0};
#pragma clang loop unroll(full)
            for (int place = 0; place < fanfare_lines_block; place += 32) {
                fanfare_bytes32 here = *(const fanfare_bytes32 *)(at + place);
                fanfare_bytes32 next = *(const fanfare_bytes32 *)(at + place + 1);
                fanfare_bytes32 is_feed = (fanfare_bytes32)(here == (unsigned char)'\n');
                feeds -= is_feed;
                if (is_json) {
                    bad |= is_feed & (fanfare_bytes32)(next != (unsigned char)'{');
                } else {
                    bad |= is_feed & (fanfare_bytes32)((fanfare_signed32)next < (signed char)0x0E);
                    bad |= is_feed & (fanfare_bytes32)(next == delimiter);
                    bad |= (fanfare_bytes32)(here == quote);
                }
            }
            fanfare_words4 any = (fanfare_words4)bad;
            if (any[0] | any[1] | any[2] | any[3]) break;
            count += feeds;
        }
        *line_feeds += fanfare_lines_sum(count);
    } while (at == part_end && at < end);
    return (size_t)(at - bytes) / fanfare_lines_block;
}

#if defined(__x86_64__)
/* The processor has the instructions, and the kernel keeps their registers. */
static inline int fanfare_lines_has_avx2(void) {
    unsigned int a, b, c, d, kept, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return 0;
    __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    return (kept & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

__attribute__((target("avx2"), noinline)) static size_t fanfare_lines_csv_avx2(
    const unsigned char *bytes, size_t blocks, unsigned char quote, unsigned char delimiter, size_t *line_feeds) {
    return fanfare_lines_plain_blocks(bytes, blocks, quote, delimiter, 0, line_feeds);
}

__attribute__((target("avx2"), noinline)) static size_t fanfare_lines_json_avx2(
    const unsigned char *bytes, size_t blocks, size_t *line_feeds) {
    return fanfare_lines_plain_blocks(bytes, blocks, 0, 0, 1, line_feeds);
}
#else
static inline int fanfare_lines_has_avx2(void) { return 0; }
#define fanfare_lines_csv_avx2(bytes, blocks, quote, delimiter, line_feeds) 0
#define fanfare_lines_json_avx2(bytes, blocks, line_feeds) 0
#endif

__attribute__((noinline)) static size_t fanfare_lines_blocks(
    const unsigned char *bytes, size_t blocks, unsigned char quote, unsigned char delimiter, int is_json, int has_avx2,
    size_t *line_feeds) {
    if (has_avx2)
        return is_json ? fanfare_lines_json_avx2(bytes, blocks, line_feeds)
                       : fanfare_lines_csv_avx2(bytes, blocks, quote, delimiter, line_feeds);
    return is_json ? fanfare_lines_plain_blocks(bytes, blocks, 0, 0, 1, line_feeds)
                   : fanfare_lines_plain_blocks(bytes, blocks, quote, delimiter, 0, line_feeds);
}

/* The blocks behind `at` that may be passed over at once: one more byte is there, and the rows are not too many. Where no
   line is blank a row has two bytes. */
static inline size_t fanfare_lines_room(const struct fanfare_lines *lines, const unsigned char *at) {
    size_t blocks = (size_t)(lines->end - at - 1) / fanfare_lines_block;
    size_t rows = (lines->most - lines->rows) / (fanfare_lines_block / 2);
    return blocks < rows ? blocks : rows;
}

/* Passes over plain blocks from `at` on. */
static inline size_t fanfare_lines_pass_blocks(
    struct fanfare_lines *lines, const unsigned char **at, size_t blocks, int is_json, int has_avx2) {
    size_t feeds = 0;
    size_t done = fanfare_lines_blocks(
        *at, blocks, lines->quote, lines->delimiter, is_json, has_avx2, &feeds);
    *at += done * fanfare_lines_block;
    lines->rows += feeds, lines->lines += feeds;
    return done;
}

/* Returns the first place in [at, end) with a byte; `end` if there is none. */
static inline const unsigned char *fanfare_lines_find(
    const unsigned char *at, const unsigned char *end, unsigned char byte) {
    const void *found = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return found ? (const unsigned char *)found : end;
}

/* Passes over the blank lines of CSV, which may have delimiters. Returns the place of the first byte of another line,
   or of a line that is not there as a whole. */
static inline const unsigned char *fanfare_lines_blank(struct fanfare_lines *lines, const unsigned char *at) {
    for (; at < lines->end; lines->lines++) {
        const unsigned char *place = at;
        while (place < lines->end && *place == lines->delimiter) place++;
        if (place < lines->end && *place == '\n') {
            at = place + 1;
        } else if (place + 1 < lines->end && *place == '\r' && place[1] == '\n') {
            at = place + 2;
        } else {
            break;
        }
    }
    return at;
}

/* Passes over a quoted field, in a line that ends at `feed`, which may be the end of all. Returns the place of the delimiter
   or the line feed behind it; NULL if the field has several lines, or its end is not there. Text behind the closing quote
   lasts to the end of the line, whatever it is. */
static inline const unsigned char *fanfare_lines_quoted(
    const struct fanfare_lines *lines, const unsigned char *at, const unsigned char *feed) {
    for (at++;; at += 2) {
        at = fanfare_lines_find(at, feed, lines->quote);
        if (at == feed || at + 1 == lines->end) return NULL;
        if (at[1] != lines->quote) break;
    }
    if (at[1] == lines->delimiter) return at + 1;
    return feed == lines->end ? NULL : feed;
}

/* Passes over the rest of a row of CSV, in which `at` is outside a quoted field. Returns the place of its line feed; NULL if
   the row has several lines, or its end is not there. Says whether it has quotes. */
static inline const unsigned char *fanfare_lines_row(
    const struct fanfare_lines *lines, const unsigned char *at, int *has_quote) {
    const unsigned char *feed = fanfare_lines_find(at, lines->end, '\n');
    while (lines->quote) {
        const unsigned char *quote = fanfare_lines_find(at, feed, lines->quote);
        if (quote == feed) break;
        *has_quote = 1;
        at = quote + 1;
        /* Elsewhere it is a byte like others. */
        if (quote == lines->start || quote[-1] == '\n' || quote[-1] == lines->delimiter) {
            at = fanfare_lines_quoted(lines, quote, feed);
            if (!at) return NULL;
        }
    }
    return feed == lines->end ? NULL : feed;
}

/* Ends in the line of `at`, which is in no quoted field. */
static inline void fanfare_lines_stop(struct fanfare_lines *lines, const unsigned char *at) {
    while (at > lines->start && at[-1] != '\n') at--;
    lines->start = at;
}

/* A row of CSV ends at each line feed outside a quoted field, if its line is not blank. Stops before a row with a field of
   several lines, and before one whose end is not there. */
static inline void fanfare_lines_pass_csv(struct fanfare_lines *lines, int has_avx2) {
    const unsigned char *at = lines->start = fanfare_lines_blank(lines, lines->start);
    while (at < lines->end && lines->rows < lines->most) {
        size_t blocks = fanfare_lines_room(lines, at);
        if (blocks > 0 && fanfare_lines_pass_blocks(lines, &at, blocks, 0, has_avx2) == blocks) continue;
        /* The lines of the block with something special in it, or all those that are left. */
        const unsigned char *part_end = blocks > 0 ? at + fanfare_lines_block : lines->end;
        int has_quote = 0;
        while (at < part_end && lines->rows < lines->most && !has_quote) {
            const unsigned char *feed = fanfare_lines_row(lines, at, &has_quote);
            if (!feed) return fanfare_lines_stop(lines, at);
            lines->rows++, lines->lines++;
            at = feed + 1;
            /* Blank lines behind the last row are no part of it. */
            if (lines->rows < lines->most) at = fanfare_lines_blank(lines, at);
        }
    }
    fanfare_lines_stop(lines, at);
}

/* A line of NDJSON is a row if it has anything but white space. Stops before a line whose end is not there. */
static inline void fanfare_lines_pass_json(struct fanfare_lines *lines, int has_avx2) {
    const unsigned char *at = lines->start;
    int is_row = 0;
    while (at < lines->end && lines->rows < lines->most) {
        size_t blocks = fanfare_lines_room(lines, at);
        /* The lines that begin in plain blocks begin with a brace, too. */
        is_row |= *at == '{';
        if (blocks > 0 && is_row && fanfare_lines_pass_blocks(lines, &at, blocks, 1, has_avx2) == blocks) continue;
        const unsigned char *feed = fanfare_lines_find(at, lines->end, '\n');
        if (feed == lines->end) break;
        while (!is_row && at < feed) {
            is_row = *at != ' ' && *at != '\t' && *at != '\r';
            at++;
        }
        lines->rows += (size_t)is_row, lines->lines++;
        is_row = 0;
        at = feed + 1;
    }
    fanfare_lines_stop(lines, at);
}

#endif
