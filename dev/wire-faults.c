// What a socket may do to a program at any call, in front of the C library (LD_PRELOAD): short writes,
// EAGAIN, EPIPE and ECONNRESET. For dev/chaos --wire; only `fanfare send` is meddled with, and only its
// TCP sockets. FANFARE_WIRE_SEED makes the dice; a process adds its id.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_on;
static _Atomic unsigned long state;

__attribute__((constructor)) static void begin(void) {
    char line[4096] = {0};
    int file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t (*next)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    ssize_t count = file < 0 ? 0 : next(file, line, sizeof line - 1);
    if (file >= 0) close(file);
    // The first argument; a path longer than the buffer is none of ours.
    size_t name = strlen(line) + 1;
    is_on = count > 0 && name < sizeof line && strcmp(line + name, "send") == 0;
    const char *seed = getenv("FANFARE_WIRE_SEED");
    state = (seed ? strtoul(seed, 0, 10) : 1) * 0x9E3779B97F4A7C15ul + (unsigned long)getpid();
}

// SplitMix64.
static unsigned long roll(void) {
    unsigned long z = atomic_fetch_add(&state, 0x9E3779B97F4A7C15ul);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ul;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBul;
    return z ^ (z >> 31);
}

static int is_tcp(int file) {
    int domain = 0, type = 0, saved = errno;
    socklen_t size = sizeof domain;
    int is = getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0
        && getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0
        && (domain == AF_INET || domain == AF_INET6) && type == SOCK_STREAM;
    errno = saved;
    return is;
}

// Of a thousand calls: 50 that would block, 20 that find the connection gone.
static int fault(int file, int broken) {
    if (!is_on || !is_tcp(file)) return 0;
    unsigned long number = roll() % 1000;
    if (number < 50) return EAGAIN;
    if (number < 70) return number & 1 ? ECONNRESET : broken;
    return 0;
}

static size_t shorter(int file, size_t count) {
    if (count < 2 || !is_on || roll() % 5 || !is_tcp(file)) return count;
    return 1 + roll() % (count - 1);
}

ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "write");
    int error = fault(file, EPIPE);
    if (error) return errno = error, -1;
    return next(file, bytes, shorter(file, count));
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    static ssize_t (*next)(int, const struct iovec *, int);
    if (!next) next = dlsym(RTLD_NEXT, "writev");
    int error = fault(file, EPIPE);
    if (error) return errno = error, -1;
    return next(file, parts, count);
}

ssize_t read(int file, void *bytes, size_t count) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "read");
    int error = fault(file, ETIMEDOUT);
    if (error) return errno = error, -1;
    return next(file, bytes, shorter(file, count));
}
