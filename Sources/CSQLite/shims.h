#include <sqlite3.h>

// sqlite3_db_config takes a list of arguments without an end, which Swift does not see.

// What a file's views and triggers call must be harmless.
static inline int fanfare_sqlite_distrust_schema(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

// A misspelled name in double quotes is an error, and not a text.
static inline int fanfare_sqlite_refuse_quoted_text(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
