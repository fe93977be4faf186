#ifndef WAYPOST_CEPOLL_SHIM_H
#define WAYPOST_CEPOLL_SHIM_H

/* Swift's module Glibc lacks these headers, or some of their constants. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#endif
