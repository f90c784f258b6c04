#include <sys/prctl.h>
#include <uv.h>

/* glibc shows this function to _GNU_SOURCE only, which Swift's importer does not define.
   uv_thread_setname can take its place once libuv 1.50 may be expected. */
static inline void cuv_thread_name_self(const char *name) {
    extern int pthread_setname_np(pthread_t, const char *);
    pthread_setname_np(pthread_self(), name);
}

/* prctl is variadic, which Swift cannot call. */
static inline int cuv_set_dumpable(int is_dumpable) {
    return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0);
}

static inline int cuv_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
