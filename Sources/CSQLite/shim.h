#ifndef WAYPOST_CSQLITE_SHIM_H
#define WAYPOST_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_config is variadic, which Swift cannot call. Does nothing once SQLite is in use. */
static inline void
waypost_sqlite_keep_no_memory_statistics (void)
{
  (void) sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
