#ifndef WAYPOST_CMICROHTTPD_SHIM_H
#define WAYPOST_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/* Calls MHD_start_daemon, which Swift cannot call because it is variadic. `options` has all options. */
static inline struct MHD_Daemon *
waypost_start_daemon (unsigned int flags, MHD_AcceptPolicyCallback policy,
                      MHD_AccessHandlerCallback handler, void *cls,
                      const struct MHD_OptionItem *options)
{
  return MHD_start_daemon (flags, 0, policy, cls, handler, cls,
                           MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/* Returns the descriptor of the daemon's epoll. MHD_get_daemon_info is variadic, too. */
static inline int
waypost_epoll_descriptor (struct MHD_Daemon *daemon)
{
  const union MHD_DaemonInfo *info =
    MHD_get_daemon_info (daemon, MHD_DAEMON_INFO_EPOLL_FD);

  return info ? info->epoll_fd : -1;
}

/* Returns the client's socket; -1 if there is none. MHD_get_connection_info is variadic, too. */
static inline int
waypost_descriptor (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);

  return info ? info->connect_fd : -1;
}

/* Returns the pointer that the callback of MHD_OPTION_NOTIFY_CONNECTION stored for the connection. */
static inline void *
waypost_socket_context (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

  return info ? info->socket_context : NULL;
}

/* Returns the size of the request head in bytes: the request line, the fields and the empty line. */
static inline size_t
waypost_header_size (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

  return info ? info->header_size : 0;
}

#endif
