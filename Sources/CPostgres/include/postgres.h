/// The few functions of libpq that Fanfare calls. The library is loaded by `postgres_load`, and not linked.
///
/// Its interface has been the same since PostgreSQL 7.4, so the declarations stand here, and no header of it is needed.

#ifndef FANFARE_POSTGRES_H
#define FANFARE_POSTGRES_H

#include <stdint.h>

/// Loads the library, once for the process.
/// Returns: null, or what the system says about why it cannot be loaded.
const char *postgres_load(void);

/// Begins to connect; null if there is no memory.
/// address: a URI or a connection string.
/// host, host_address, port: one of the servers that the address names, instead of all of them; or null.
/// verifies: whether the server's certificate has to prove its name.
/// Until it is connected, `postgres_error` has the states of the server's faults among its words, and their places in the
/// server: libpq tells a state in no other way then.
void *postgres_connect_start(
    const char *address, const char *host, const char *host_address, const char *port, int verifies);
/// Goes on connecting. Returns: 0 failed, 1 wait until readable, 2 wait until writable, 3 connected.
int postgres_connect_poll(void *connection);
int postgres_socket(void *connection);
const char *postgres_error(void *connection);
void postgres_close(void *connection);
/// Checks a connection string. Returns: null, or what is wrong with it, to be freed by `postgres_free`.
char *postgres_check(const char *text);
/// The value of an option in a connection string, or null; to be freed by `free`.
char *postgres_option(const char *text, const char *name);
void postgres_free(void *memory);

/// Sends statements, without waiting; their rows come one at a time. Returns: 1 if that went well.
int postgres_send(void *connection, const char *statements);
/// The bytes that have come from the server since the connection was made; 0 for a socket with a path.
int64_t postgres_received(void *connection);
int postgres_flush(void *connection);
/// Reads what is there. Returns: 0 if the connection is gone.
int postgres_consume(void *connection);
int postgres_is_busy(void *connection);
/// The next result, or null at the end; to be cleared.
void *postgres_result(void *connection);
void postgres_clear(void *result);
/// 0 an error, 1 a command that is done, 2 its last rows, 3 one of its rows.
int postgres_status(const void *result);
const char *postgres_result_error(const void *result);
/// The five characters of the error, or null.
const char *postgres_sqlstate(const void *result);
int postgres_row_count(const void *result);
int postgres_column_count(const void *result);
/// The bytes of a value; 0 for NULL.
int postgres_length(const void *result, int row, int column);
/// The text of a value; null for NULL.
const char *postgres_value(const void *result, int row, int column);
/// The warnings that came with the results since the last call, as a count.
int postgres_take_warnings(void *connection);

#endif
