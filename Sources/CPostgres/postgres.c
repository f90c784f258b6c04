#include "postgres.h"

#include <dlfcn.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef void Connection;
typedef void Result;

// The layout of PQconninfoOption, which is part of libpq's interface.
typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} Option;

static struct {
    Connection *(*connectStartParams)(const char *const *, const char *const *, int);
    int (*connectPoll)(Connection *);
    int (*socket)(const Connection *);
    char *(*errorMessage)(const Connection *);
    void (*finish)(Connection *);
    Option *(*conninfoParse)(const char *, char **);
    void (*conninfoFree)(Option *);
    void (*freemem)(void *);
    int (*setnonblocking)(Connection *, int);
    int (*sendQuery)(Connection *, const char *);
    int (*setSingleRowMode)(Connection *);
    int (*flush)(Connection *);
    int (*consumeInput)(Connection *);
    int (*isBusy)(Connection *);
    Result *(*getResult)(Connection *);
    void (*clear)(Result *);
    int (*resultStatus)(const Result *);
    char *(*resultErrorMessage)(const Result *);
    char *(*resultErrorField)(const Result *, int);
    int (*ntuples)(const Result *);
    int (*nfields)(const Result *);
    int (*getlength)(const Result *, int, int);
    int (*getisnull)(const Result *, int, int);
    char *(*getvalue)(const Result *, int, int);
    int (*setErrorVerbosity)(Connection *, int);
    void *(*setNoticeReceiver)(Connection *, void (*)(void *, const Result *), void *);
} pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *fault;
// One thread talks to one server; a warning is counted where it comes.
static _Thread_local int warnings;

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fault = strdup(dlerror());
        return;
    }
    struct { const char *name; void **place; } names[] = {
        {"PQconnectStartParams", (void **)&pq.connectStartParams},
        {"PQconnectPoll", (void **)&pq.connectPoll},
        {"PQsocket", (void **)&pq.socket},
        {"PQerrorMessage", (void **)&pq.errorMessage},
        {"PQfinish", (void **)&pq.finish},
        {"PQconninfoParse", (void **)&pq.conninfoParse},
        {"PQconninfoFree", (void **)&pq.conninfoFree},
        {"PQfreemem", (void **)&pq.freemem},
        {"PQsetnonblocking", (void **)&pq.setnonblocking},
        {"PQsendQuery", (void **)&pq.sendQuery},
        {"PQsetSingleRowMode", (void **)&pq.setSingleRowMode},
        {"PQflush", (void **)&pq.flush},
        {"PQconsumeInput", (void **)&pq.consumeInput},
        {"PQisBusy", (void **)&pq.isBusy},
        {"PQgetResult", (void **)&pq.getResult},
        {"PQclear", (void **)&pq.clear},
        {"PQresultStatus", (void **)&pq.resultStatus},
        {"PQresultErrorMessage", (void **)&pq.resultErrorMessage},
        {"PQresultErrorField", (void **)&pq.resultErrorField},
        {"PQntuples", (void **)&pq.ntuples},
        {"PQnfields", (void **)&pq.nfields},
        {"PQgetlength", (void **)&pq.getlength},
        {"PQgetisnull", (void **)&pq.getisnull},
        {"PQgetvalue", (void **)&pq.getvalue},
        {"PQsetErrorVerbosity", (void **)&pq.setErrorVerbosity},
        {"PQsetNoticeReceiver", (void **)&pq.setNoticeReceiver},
    };
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        *names[index].place = dlsym(library, names[index].name);
        if (*names[index].place == NULL) {
            fault = strdup(dlerror());
            return;
        }
    }
}

const char *postgres_load(void) {
    pthread_once(&once, load);
    return fault;
}

enum { severityField = 'V', stateField = 'C', messageField = 'M' };

static void notice(void *unused, const Result *result) {
    (void)unused;
    const char *severity = pq.resultErrorField(result, severityField);
    if (severity != NULL && strcmp(severity, "WARNING") == 0) warnings++;
}

// PQERRORS_DEFAULT and PQERRORS_VERBOSE.
enum { ordinary = 1, verbose = 2 };

void *postgres_connect_start(
    const char *address, const char *host, const char *host_address, const char *port, int verifies) {
    // Later ones count more, and those that are null do not count.
    const char *names[] = {
        "fallback_application_name", "connect_timeout", "target_session_attrs", "keepalives_idle",
        "keepalives_interval", "keepalives_count", "client_encoding", "dbname", "host", "hostaddr", "port",
        verifies ? "sslmode" : NULL, NULL,
    };
    const char *values[] = {
        "fanfare", "5", "read-write", "5", "2", "3", "UTF8", address, host, host_address, port, "verify-full", NULL,
    };
    Connection *connection = pq.connectStartParams(names, values, 1);
    if (connection != NULL) {
        pq.setNoticeReceiver(connection, notice, NULL);
        pq.setErrorVerbosity(connection, verbose);
    }
    return connection;
}

enum { receiveBytes = 16 * 1024 };

int postgres_connect_poll(void *connection) {
    int state = pq.connectPoll(connection);
    if (state == 3) {
        pq.setErrorVerbosity(connection, ordinary);
        pq.setnonblocking(connection, 1);
        // libpq reads until nothing waits: with little room something has to wait soon.
        int bytes = receiveBytes;
        setsockopt(pq.socket(connection), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    return state;
}

int postgres_socket(void *connection) { return pq.socket(connection); }
const char *postgres_error(void *connection) { return pq.errorMessage(connection); }
void postgres_close(void *connection) { pq.finish(connection); }

char *postgres_check(const char *text) {
    char *message = NULL;
    Option *options = pq.conninfoParse(text, &message);
    if (options != NULL) pq.conninfoFree(options);
    return message;
}

char *postgres_option(const char *text, const char *name) {
    Option *options = pq.conninfoParse(text, NULL);
    if (options == NULL) return NULL;
    char *value = NULL;
    for (Option *option = options; option->keyword != NULL; option++) {
        if (strcmp(option->keyword, name) == 0 && option->val != NULL) value = strdup(option->val);
    }
    pq.conninfoFree(options);
    return value;
}

void postgres_free(void *memory) { pq.freemem(memory); }

int postgres_send(void *connection, const char *statements) {
    return pq.sendQuery(connection, statements) == 1 && pq.setSingleRowMode(connection) == 1;
}

int64_t postgres_received(void *connection) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t size = sizeof info;
    if (getsockopt(pq.socket(connection), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    return (int64_t)info.tcpi_bytes_received;
}

int postgres_flush(void *connection) { return pq.flush(connection); }
int postgres_consume(void *connection) { return pq.consumeInput(connection); }
int postgres_is_busy(void *connection) { return pq.isBusy(connection); }
void *postgres_result(void *connection) { return pq.getResult(connection); }
void postgres_clear(void *result) { pq.clear(result); }

int postgres_status(const void *result) {
    // PGRES_EMPTY_QUERY, PGRES_COMMAND_OK, PGRES_TUPLES_OK and PGRES_SINGLE_TUPLE.
    switch (pq.resultStatus(result)) {
    case 0:
    case 1: return 1;
    case 2: return 2;
    case 9: return 3;
    default: return 0;
    }
}

const char *postgres_result_error(const void *result) {
    const char *state = pq.resultErrorField(result, stateField);
    // What our own statements raise is for people, and the place in the statement says nothing to them.
    if (state != NULL && strcmp(state, "P0001") == 0) {
        const char *message = pq.resultErrorField(result, messageField);
        if (message != NULL) return message;
    }
    return pq.resultErrorMessage(result);
}

const char *postgres_sqlstate(const void *result) { return pq.resultErrorField(result, stateField); }
int postgres_row_count(const void *result) { return pq.ntuples(result); }
int postgres_column_count(const void *result) { return pq.nfields(result); }

int postgres_length(const void *result, int row, int column) {
    return pq.getlength(result, row, column);
}

const char *postgres_value(const void *result, int row, int column) {
    return pq.getisnull(result, row, column) ? NULL : pq.getvalue(result, row, column);
}

int postgres_take_warnings(void *connection) {
    (void)connection;
    int count = warnings;
    warnings = 0;
    return count;
}
