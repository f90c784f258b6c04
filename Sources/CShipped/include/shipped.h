// The descriptions of providers that come with Fanfare.
#ifndef FANFARE_SHIPPED_H
#define FANFARE_SHIPPED_H

#include <stddef.h>

/* A file by its name without `.json`: its bytes, as they stand in `providers`. */
struct shipped_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/* All of them, in the order of their names. */
extern const size_t shipped_count;
struct shipped_file shipped_at(size_t index);

#endif
