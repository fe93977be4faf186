#ifndef WAYPOST_CPOSTGRES_SHIM_H
#define WAYPOST_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#endif
