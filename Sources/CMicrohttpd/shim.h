#ifndef WAYPOST_CMICROHTTPD_SHIM_H
#define WAYPOST_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/* MHD_start_daemon is variadic, which Swift cannot call: everything goes through the option array. */
static inline struct MHD_Daemon *
waypost_start_daemon (unsigned int flags, MHD_AcceptPolicyCallback policy,
                      MHD_AccessHandlerCallback handler, void *cls,
                      const struct MHD_OptionItem *options)
{
  return MHD_start_daemon (flags, 0, policy, cls, handler, cls,
                           MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/* MHD_get_daemon_info is variadic. */
static inline const union MHD_DaemonInfo *
waypost_daemon_info (struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type)
{
  return MHD_get_daemon_info (daemon, type);
}

/* MHD_get_connection_info is variadic. */
static inline const union MHD_ConnectionInfo *
waypost_connection_info (struct MHD_Connection *connection, enum MHD_ConnectionInfoType type)
{
  return MHD_get_connection_info (connection, type);
}

#endif
