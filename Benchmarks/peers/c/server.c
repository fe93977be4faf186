/* The limit: libmicrohttpd, set up as Waypost sets it up, sending answers that were made before.
 *
 *     server ANSWERS [FILE]
 *
 * ANSWERS is a folder with a file `routes`. Each of its lines is
 *
 *     METHOD PREFIX SUFFIX NAME
 *
 * and names the answer (NAME.headers, one field a line, and NAME.body) to requests of that method
 * whose path begins with PREFIX and ends with SUFFIX ("-" for any). The first that fits counts.
 *
 * Compare Sources/Service/MicrohttpdServer/Worker.swift: the options and the number of threads are the same,
 * and so are the callbacks, one request context for each request included; but it lets libmicrohttpd
 * accept connections and wait for them, as one would. What is left out is what Waypost itself costs:
 * nothing is parsed, looked up or written, and each response object is made once.
 *
 * With FILE, each POST writes a page to this file and has it synced to disk before its response. */

#define _GNU_SOURCE
#include <fcntl.h>

#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum
{
  CONNECTION_LIMIT = 1000, INACTIVITY_TIMEOUT = 60, CONNECTION_MEMORY = 36864,
  ROUTE_LIMIT = 32, LINE_LIMIT = 4096,
  /* A page of SQLite, and the size at which its log begins again. */
  PAGE = 4096, LOG_SIZE = 1000 * PAGE
};

struct route
{
  char method[8], prefix[256], suffix[256];
  struct MHD_Response *response;
};

static struct route routes[ROUTE_LIMIT];
static int route_count;

/* Where POST requests write; -1 if they do not. */
static int log_file = -1;
static unsigned long page_count;

static void
die (const char *what)
{
  perror (what);
  exit (1);
}

/* Reads FOLDER/NAME.ENDING whole. */
static char *
read_file (const char *folder, const char *name, const char *ending, size_t *size)
{
  char path[LINE_LIMIT];
  snprintf (path, sizeof path, "%s/%s.%s", folder, name, ending);
  FILE *file = fopen (path, "rb");
  if (file == NULL || fseek (file, 0, SEEK_END) != 0)
    die (path);
  *size = ftell (file);
  rewind (file);
  char *bytes = malloc (*size + 1);
  if (bytes == NULL || fread (bytes, 1, *size, file) != *size)
    die (path);
  bytes[*size] = '\0';
  fclose (file);
  return bytes;
}

static struct MHD_Response *
make_response (const char *folder, const char *name)
{
  size_t size;
  char *body = read_file (folder, name, "body", &size);
  struct MHD_Response *response
    = MHD_create_response_from_buffer (size, body, MHD_RESPMEM_PERSISTENT);
  char *rest = read_file (folder, name, "headers", &size);
  for (char *field; (field = strsep (&rest, "\n")) != NULL;)
    {
      char *value = strstr (field, ": ");
      if (value == NULL)
        continue;
      *value = '\0';
      MHD_add_response_header (response, field, value + 2);
    }
  return response;
}

static void
read_routes (const char *folder)
{
  char path[LINE_LIMIT], line[LINE_LIMIT], name[256];
  snprintf (path, sizeof path, "%s/routes", folder);
  FILE *file = fopen (path, "r");
  if (file == NULL)
    die (path);
  while (route_count < ROUTE_LIMIT && fgets (line, sizeof line, file) != NULL)
    {
      struct route *route = &routes[route_count];
      if (sscanf (line, "%7s %255s %255s %255s", route->method, route->prefix, route->suffix, name)
          != 4)
        continue;
      if (strcmp (route->suffix, "-") == 0)
        route->suffix[0] = '\0';
      route->response = make_response (folder, name);
      route_count++;
    }
  fclose (file);
}

static struct MHD_Response *
find (const char *method, const char *path)
{
  size_t size = strlen (path);
  for (struct route *route = routes; route < routes + route_count; route++)
    {
      size_t suffix = strlen (route->suffix);
      if (strcmp (route->method, method) == 0
          && strncmp (route->prefix, path, strlen (route->prefix)) == 0
          && suffix <= size && strcmp (path + size - suffix, route->suffix) == 0)
        return route->response;
    }
  return NULL;
}

/* Writes a page to the log, which has its whole size already, and waits until it is on disk. */
static void
write_page (void)
{
  static const char page[PAGE];
  unsigned long number = __atomic_fetch_add (&page_count, 1, __ATOMIC_RELAXED);
  if (pwrite (log_file, page, PAGE, number * PAGE % LOG_SIZE) != PAGE || fdatasync (log_file) != 0)
    die ("the log");
}

static void
open_log (const char *path)
{
  log_file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (log_file < 0)
    die (path);
  if (posix_fallocate (log_file, 0, LOG_SIZE) != 0 || fsync (log_file) != 0)
    die (path);
}

struct exchange
{
  int has_head;
};

static enum MHD_Result
admit (void *context, const struct sockaddr *address, socklen_t size)
{
  (void) context, (void) address, (void) size;
  return MHD_YES;
}

static void *
begin_exchange (void *context, const char *target, struct MHD_Connection *connection)
{
  (void) context, (void) target, (void) connection;
  return calloc (1, sizeof (struct exchange));
}

static size_t
leave_escaped (void *context, struct MHD_Connection *connection, char *text)
{
  (void) context, (void) connection;
  return strlen (text);
}

static void
end_exchange (void *context, struct MHD_Connection *connection, void **exchange,
              enum MHD_RequestTerminationCode code)
{
  (void) context, (void) connection, (void) code;
  free (*exchange);
  *exchange = NULL;
}

/* Called once when the head has come, then for each piece of the body, then once more. */
static enum MHD_Result
handle (void *context, struct MHD_Connection *connection, const char *path, const char *method,
        const char *version, const char *upload, size_t *upload_size, void **exchange)
{
  (void) context, (void) version, (void) upload;
  struct exchange *state = *exchange;
  if (!state->has_head)
    {
      state->has_head = 1;
      return MHD_YES;
    }
  if (*upload_size > 0)
    {
      *upload_size = 0;
      return MHD_YES;
    }
  if (log_file >= 0 && strcmp (method, "POST") == 0)
    write_page ();
  struct MHD_Response *response = find (method, path);
  return response == NULL ? MHD_NO : MHD_queue_response (connection, MHD_HTTP_OK, response);
}

static int
listen_on_loopback (unsigned short *port)
{
  struct sockaddr_in address
    = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int descriptor = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0 || bind (descriptor, (struct sockaddr *) &address, size) != 0
      || listen (descriptor, SOMAXCONN) != 0
      || getsockname (descriptor, (struct sockaddr *) &address, &size) != 0)
    die ("socket");
  *port = ntohs (address.sin_port);
  return descriptor;
}

int
main (int count, char **arguments)
{
  if (count != 2 && count != 3)
    {
      fprintf (stderr, "usage: %s ANSWERS [FILE]\n", arguments[0]);
      return 2;
    }
  read_routes (arguments[1]);
  if (count == 3)
    open_log (arguments[2]);
  sigset_t signals;
  sigemptyset (&signals);
  sigaddset (&signals, SIGTERM);
  sigaddset (&signals, SIGINT);
  sigprocmask (SIG_BLOCK, &signals, NULL);
  signal (SIGPIPE, SIG_IGN);
  unsigned short port;
  int descriptor = listen_on_loopback (&port);
  struct MHD_Daemon *daemon = MHD_start_daemon (
    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0,
    admit, NULL, handle, NULL,
    MHD_OPTION_LISTEN_SOCKET, descriptor,
    MHD_OPTION_THREAD_POOL_SIZE, (unsigned int) sysconf (_SC_NPROCESSORS_ONLN),
    MHD_OPTION_CONNECTION_LIMIT, (unsigned int) CONNECTION_LIMIT,
    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int) INACTIVITY_TIMEOUT,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_MEMORY,
    MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, NULL,
    MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
    MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL,
    MHD_OPTION_END);
  if (daemon == NULL)
    die ("MHD_start_daemon");
  printf ("serves at http://127.0.0.1:%d\n", port);
  fflush (stdout);
  int received;
  sigwait (&signals, &received);
  MHD_stop_daemon (daemon);
  return 0;
}
