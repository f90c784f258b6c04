// CRC-32C by the processor's own instruction, which Swift has no name for.
#ifndef FANFARE_CRC32C_H
#define FANFARE_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

static inline int system_has_crc32c(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

/* The state without the inversions at both ends. */
__attribute__((target("sse4.2"), noinline)) static uint32_t system_crc32c(
    uint32_t state, const void *start, size_t count) {
    const unsigned char *bytes = start;
    uint64_t wide = state, word;
    for (; count >= 16 * sizeof word; count -= 16 * sizeof word) {
#pragma clang loop unroll(full)
        for (int place = 0; place < 16; place++, bytes += sizeof word) {
            memcpy(&word, bytes, sizeof word);
            wide = __builtin_ia32_crc32di(wide, word);
        }
    }
    for (; count >= sizeof word; count -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    state = (uint32_t)wide;
    for (; count > 0; count--) state = __builtin_ia32_crc32qi(state, *bytes++);
    return state;
}
#else
static inline int system_has_crc32c(void) { return 0; }
static inline uint32_t system_crc32c(uint32_t state, const void *start, size_t count) {
    (void)start, (void)count;
    return state;
}
#endif

#endif
