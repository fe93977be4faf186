#ifndef WAYPOST_CEPOLLWAIT_H
#define WAYPOST_CEPOLLWAIT_H

/* Nothing to call: what is linked with it gets its epoll_wait. */

#endif
