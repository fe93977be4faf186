/* Sends requests at a given rate, or as fast as they are answered, and prints one JSON object: the
 * latencies, and how evenly the connections were served.
 *
 *     load PORT CONNECTIONS SECONDS RATE REQUESTS
 *
 * RATE is in requests a second over all connections; 0 sends the next one as soon as the last is
 * answered. REQUESTS is a file of groups: the line `group COUNT`, then COUNT times a line with the
 * size of a request in bytes and the request itself. Connection k sends the requests of group
 * k modulo the number of groups, one after another, over and over. The digits of a request's
 * `traceparent: 00-` field differ each time that it is sent.
 *
 * With a rate, request i is due i / RATE seconds after the start, on connection i modulo
 * CONNECTIONS, whatever has become of those before it; its latency counts from when it was due, not
 * from when it could be sent. A server that stalls is thus charged with all that it kept waiting
 * (no "coordinated omission").
 *
 * Any answer but a 200, and any lost connection, ends the run with 1. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { INPUT_SIZE = 1 << 18, EVENT_LIMIT = 256, CONNECTION_LIMIT = 1000 };

struct request
{
  char *bytes;
  size_t size;
  char *trace;   /* the digits of its traceparent, or NULL */
};

struct group
{
  struct request *requests;
  int count;
};

struct connection
{
  int descriptor;
  const struct group *group;
  char *input;
  size_t filled;
  uint64_t answers;   /* so far */
  uint64_t due;       /* when the next request, or the one under way, was or is due */
  int is_under_way;
};

static struct group *groups;
static int group_count;
static struct connection *connections;
static int connection_count;
static uint64_t sent_count;
static uint64_t start, interval;   /* ns; interval: between two requests of one connection */
static uint32_t *latencies;        /* ns */
static size_t latency_count, latency_limit;

static void
die (const char *what)
{
  fprintf (stderr, "load: %s: %s\n", what, strerror (errno));
  exit (1);
}

static void *
allocate (size_t count, size_t size)
{
  void *memory = calloc (count, size);
  if (memory == NULL)
    die ("out of memory");
  return memory;
}

static uint64_t
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void
read_requests (const char *path)
{
  FILE *file = fopen (path, "rb");
  if (file == NULL)
    die (path);
  int count;
  while (fscanf (file, " group %d\n", &count) == 1)
    {
      groups = realloc (groups, (group_count + 1) * sizeof *groups);
      struct group *group = &groups[group_count++];
      *group = (struct group) { allocate (count, sizeof (struct request)), count };
      for (int i = 0; i < count; i++)
        {
          struct request *request = &group->requests[i];
          if (fscanf (file, "%zu", &request->size) != 1 || getc (file) != '\n')
            die ("malformed requests");
          request->bytes = allocate (request->size, 1);
          if (fread (request->bytes, 1, request->size, file) != request->size)
            die ("malformed requests");
          static const char field[] = "\r\ntraceparent: 00-";
          char *found = memmem (request->bytes, request->size, field, strlen (field));
          request->trace = found == NULL ? NULL : found + strlen (field);
        }
    }
  if (!feof (file) || group_count == 0)
    die ("malformed requests");
  fclose (file);
}

static void
connect_all (int port, int epoll)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int on = 1;
  for (int i = 0; i < connection_count; i++)
    {
      struct connection *connection = &connections[i];
      connection->group = &groups[i % group_count];
      connection->input = allocate (INPUT_SIZE, 1);
      connection->descriptor = socket (AF_INET, SOCK_STREAM, 0);
      if (connection->descriptor < 0
          || connect (connection->descriptor, (struct sockaddr *) &address, sizeof address) != 0)
        die ("connect");
      setsockopt (connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
      if (epoll_ctl (epoll, EPOLL_CTL_ADD, connection->descriptor, &event) != 0)
        die ("epoll_ctl");
    }
}

/* Writes a number into the last digits of the trace's id and of the parent's, which have 32 and 16. */
static void
renew_trace (char *trace)
{
  uint64_t number = ++sent_count;
  for (int i = 15; i >= 0; i--, number >>= 4)
    trace[16 + i] = trace[33 + i] = "0123456789abcdef"[number & 15];
}

/* A request is far smaller than the socket's buffer, which is empty: nothing is under way. */
static void
send_next (struct connection *connection)
{
  const struct group *group = connection->group;
  const struct request *request = &group->requests[connection->answers % group->count];
  if (request->trace != NULL)
    renew_trace (request->trace);
  if (send (connection->descriptor, request->bytes, request->size, MSG_NOSIGNAL)
      != (ssize_t) request->size)
    die ("send");
  connection->is_under_way = 1;
}

/* Reads what has come; returns whether the answer is complete. */
static int
receive (struct connection *connection)
{
  ssize_t size = recv (connection->descriptor, connection->input + connection->filled,
                       INPUT_SIZE - 1 - connection->filled, MSG_DONTWAIT);
  if (size < 0 && errno == EAGAIN)
    return 0;
  if (size <= 0)
    die ("the connection was closed");
  connection->filled += size;
  connection->input[connection->filled] = '\0';
  char *end = strstr (connection->input, "\r\n\r\n");
  if (end == NULL)
    return 0;
  char *field = strcasestr (connection->input, "\r\nContent-Length:");
  if (strncmp (connection->input, "HTTP/1.1 200 ", 13) != 0 || field == NULL || field > end)
    {
      fprintf (stderr, "load: not a good answer: %.2000s\n", connection->input);
      exit (1);
    }
  size_t whole = end + 4 - connection->input + strtoull (field + 17, NULL, 10);
  if (whole > INPUT_SIZE - 1)
    die ("an answer is too large");
  if (connection->filled < whole)
    return 0;
  connection->filled = 0;
  return 1;
}

static void
finish (struct connection *connection)
{
  uint64_t latency = now () - connection->due;
  if (latency_count < latency_limit)
    latencies[latency_count++] = latency < UINT32_MAX ? latency : UINT32_MAX;
  connection->answers++;
  connection->is_under_way = 0;
  connection->due = interval > 0 ? connection->due + interval : now ();
}

/* Sends what is due; returns when the next request is. In turn, connection `*next` is the one that
 * is due first: all have the same interval. One that awaits an answer sends when that has come. */
static uint64_t
send_due (int *next, uint64_t *turn)
{
  for (;;)
    {
      struct connection *connection = &connections[*next];
      if (*turn > now ())
        return *turn;
      if (!connection->is_under_way && connection->due <= *turn)
        send_next (connection);
      *next = (*next + 1) % connection_count;
      *turn += interval / connection_count;
    }
}

static void
run (int epoll, uint64_t end)
{
  struct epoll_event events[EVENT_LIMIT];
  int next = 0;
  uint64_t turn = start;
  if (interval == 0)
    for (int i = 0; i < connection_count; i++)
      send_next (&connections[i]);
  for (uint64_t time; (time = now ()) < end;)
    {
      uint64_t wake = end;
      if (interval > 0)
        {
          wake = send_due (&next, &turn);
          time = now ();
        }
      uint64_t wait = wake > time ? wake - time : 0;
      struct timespec timeout = { wait / 1000000000, wait % 1000000000 };
      int count = epoll_pwait2 (epoll, events, EVENT_LIMIT, &timeout, NULL);
      if (count < 0 && errno != EINTR)
        die ("epoll_pwait2");
      for (int i = 0; i < count; i++)
        {
          struct connection *connection = events[i].data.ptr;
          if (!receive (connection))
            continue;
          finish (connection);
          /* Late: its turn passed while the last answer was awaited. */
          if (interval == 0 || connection->due < turn)
            send_next (connection);
        }
    }
}

static int
ascending (const void *one, const void *other)
{
  uint32_t a = *(const uint32_t *) one, b = *(const uint32_t *) other;
  return (a > b) - (a < b);
}

/* In microseconds. */
static double
quantile (double share)
{
  return latency_count == 0 ? 0 : latencies[(size_t) (share * (latency_count - 1))] / 1000.0;
}

static void
print_results (double seconds)
{
  uint64_t answers = 0, least = UINT64_MAX, most = 0;
  for (int i = 0; i < connection_count; i++)
    {
      uint64_t count = connections[i].answers;
      answers += count;
      least = count < least ? count : least;
      most = count > most ? count : most;
    }
  qsort (latencies, latency_count, sizeof *latencies, ascending);
  printf ("{\"answers\": %llu, \"rate\": %.1f, \"least\": %llu, \"most\": %llu, "
          "\"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, \"max\": %.1f}\n",
          (unsigned long long) answers, answers / seconds, (unsigned long long) least,
          (unsigned long long) most, quantile (0.5), quantile (0.99), quantile (0.999),
          quantile (1));
}

int
main (int count, char **arguments)
{
  if (count != 6)
    {
      fprintf (stderr, "usage: %s PORT CONNECTIONS SECONDS RATE REQUESTS\n", arguments[0]);
      return 2;
    }
  connection_count = atoi (arguments[2]);
  double seconds = atof (arguments[3]), rate = atof (arguments[4]);
  if (connection_count < 1 || connection_count > CONNECTION_LIMIT || seconds <= 0 || rate < 0)
    {
      errno = EINVAL;
      die ("arguments");
    }
  read_requests (arguments[5]);
  connections = allocate (connection_count, sizeof *connections);
  latency_limit = (rate > 0 ? rate : 200000) * (seconds + 1);
  latencies = allocate (latency_limit, sizeof *latencies);
  int epoll = epoll_create1 (EPOLL_CLOEXEC);
  connect_all (atoi (arguments[1]), epoll);
  start = now ();
  /* Whole steps, so that a connection's turn is when its request is due. */
  interval = rate > 0 ? (uint64_t) (1e9 / rate) * connection_count : 0;
  for (int i = 0; i < connection_count; i++)
    connections[i].due = start + interval / connection_count * i;
  run (epoll, start + (uint64_t) (seconds * 1e9));
  /* What is overdue at the end counts with the time that it has waited so far. */
  uint64_t end = now ();
  for (int i = 0; i < connection_count && interval > 0; i++)
    for (uint64_t due = connections[i].due; due < end && latency_count < latency_limit;
         due += interval)
      latencies[latency_count++] = end - due < UINT32_MAX ? end - due : UINT32_MAX;
  print_results ((end - start) / 1e9);
  return 0;
}
