#include <sqlite3.h>

// Takes a list of arguments without an end, which Swift does not see.
static inline int fanfare_sqlite_distrust_schema(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
