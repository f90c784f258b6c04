// The one instruction that Swift cannot say: fetch a line of memory that is wanted soon. A hint, which
// may name any address.
#ifndef FANFARE_PREFETCH_H
#define FANFARE_PREFETCH_H

static inline void fanfare_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
