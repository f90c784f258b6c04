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
    uint64_t wide = state, words[4];
    for (; count >= sizeof words; count -= sizeof words, bytes += sizeof words) {
        memcpy(words, bytes, sizeof words);
        wide = __builtin_ia32_crc32di(wide, words[0]);
        wide = __builtin_ia32_crc32di(wide, words[1]);
        wide = __builtin_ia32_crc32di(wide, words[2]);
        wide = __builtin_ia32_crc32di(wide, words[3]);
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
