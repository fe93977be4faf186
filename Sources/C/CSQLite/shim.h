#ifndef WAYPOST_CSQLITE_SHIM_H
#define WAYPOST_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Disables SQLite's memory statistics; has no effect after SQLite is initialized. Swift cannot call
 * sqlite3_config, because it is variadic. */
static inline void
waypost_sqlite_keep_no_memory_statistics (void)
{
  (void) sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
