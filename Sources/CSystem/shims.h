// What the C library has and Swift cannot call: functions that are variadic, or that glibc shows to
// _GNU_SOURCE alone, which Swift's importer does not define.
#ifndef FANFARE_SYSTEM_H
#define FANFARE_SYSTEM_H

#include <pthread.h>
#include <sys/prctl.h>

static inline void system_name_thread(const char *name) {
    extern int pthread_setname_np(pthread_t, const char *);
    pthread_setname_np(pthread_self(), name);
}

static inline int system_set_dumpable(int is_dumpable) {
    return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0);
}

static inline int system_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/* A file in memory that no folder has, closed in programs that are started; -1 with errno. */
static inline int system_memory_file(const char *name) {
    extern int memfd_create(const char *, unsigned int);
    return memfd_create(name, 1u /* MFD_CLOEXEC */);
}

/* The environment of the process, which Swift takes for a variable that threads share unguarded. */
static inline char **system_environment(void) {
    extern char **environ;
    return environ;
}

/* The symbol of an errno, such as "ENOENT"; null for a number that means nothing. */
static inline const char *system_error_name(int number) {
    extern const char *strerrorname_np(int);
    return strerrorname_np(number);
}

#endif
