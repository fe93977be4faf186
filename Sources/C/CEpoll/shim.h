#ifndef WAYPOST_CEPOLL_SHIM_H
#define WAYPOST_CEPOLL_SHIM_H

/* Swift's module Glibc lacks these headers, or some of their constants. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* libmicrohttpd's header includes sys/socket.h, too. Swift then finds MSG_NOSIGNAL in one of the two modules only. */
enum { WAYPOST_MSG_NOSIGNAL = MSG_NOSIGNAL };

#endif
