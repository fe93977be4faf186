#ifndef WAYPOST_CMICROHTTPD_SHIM_H
#define WAYPOST_CMICROHTTPD_SHIM_H

#include <stdbool.h>
#include <microhttpd.h>

/* Returns whether libmicrohttpd refuses all malformed heads itself, if MHD_OPTION_STRICT_FOR_CLIENT
   is 1. Version 1 and later do so. In earlier versions the option only replaces problems by pages. */
static inline bool
waypost_checks_heads (void)
{
  return '0' != MHD_get_version ()[0];
}

/* Starts a daemon without a thread and a socket of its own. MHD_start_daemon is variadic. The daemon
   passes `cls` to all functions. Streams need MHD_USE_TURBO, see Exchange.swift. */
static inline struct MHD_Daemon *
waypost_start_daemon (unsigned int connection_limit, size_t connection_memory,
                      MHD_NotifyConnectionCallback notify_connection,
                      void *(*request_started) (void *, const char *, struct MHD_Connection *),
                      size_t (*unescape) (void *, struct MHD_Connection *, char *),
                      MHD_AccessHandlerCallback handle_access,
                      MHD_RequestCompletedCallback request_completed, void *cls)
{
  return MHD_start_daemon (MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME
                           | MHD_USE_TURBO, 0, NULL, NULL, handle_access, cls,
                           MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                           MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                           MHD_OPTION_STRICT_FOR_CLIENT, (int) waypost_checks_heads (),
                           MHD_OPTION_NOTIFY_CONNECTION, notify_connection, cls,
                           MHD_OPTION_URI_LOG_CALLBACK, request_started, cls,
                           MHD_OPTION_UNESCAPE_CALLBACK, unescape, cls,
                           MHD_OPTION_NOTIFY_COMPLETED, request_completed, cls,
                           MHD_OPTION_END);
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

/* Makes libmicrohttpd close the connection after a time without traffic. MHD_set_connection_option is
   variadic. */
static inline void
waypost_limit_idle_time (struct MHD_Connection *connection, unsigned int seconds)
{
  MHD_set_connection_option (connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

#endif
