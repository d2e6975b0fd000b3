/* XLA's interface for foreign functions, version 0.3, as far as Penstock's functions use it, and work in parts.

   ops/ffi.py checks the version. Nothing is linked: XLA passes what a function calls. */

#ifndef PENSTOCK_XLA_H
#define PENSTOCK_XLA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct { size_t size; void *extension; int32_t type; void *data; int64_t rank; int64_t *dims; } Buffer;
typedef struct { size_t size; void *extension; int64_t count; int *types; void **items; } Operands;
typedef struct { size_t size; void *extension; int64_t count; int *types; void **names; void **items; } Attributes;
typedef struct { int32_t type; size_t count; int64_t *data; } Array;
typedef struct { size_t size; void *extension; const char *message; int code; } Failure;
typedef struct { size_t size; void *extension; void *context; void (*run)(void *); void *data; } Schedule;
typedef struct { size_t size; void *extension; void *context; int64_t *found; } Threads;
typedef struct { size_t size; void *extension; int major, minor; } Version;
typedef struct { size_t size; Version version; uint32_t traits; int64_t state; } Metadata;
typedef struct Extension { size_t size; int type; struct Extension *next; Metadata *metadata; } Extension;
typedef struct {
    size_t size; void *extension; Version version; void *internal;
    void *(*fail)(Failure *);
    void *others[10];
    void *(*schedule)(Schedule *);
    void *(*threads)(Threads *);
} Api;
typedef struct {
    size_t size; Extension *extension; const Api *api; void *context; int stage;
    Operands arguments, results; Attributes attributes;
} Frame;
enum { METADATA = 1, INTERNAL = 13 };

/* What Python hands to JAX: a capsule of this name around a function of a Frame. */
#define CAPSULE "xla._CUSTOM_CALL_TARGET"

/* Answers the call with which XLA asks for the version of the interface; returns whether it was that. */
static int told_version(Frame *frame)
{
    if (!frame->extension || frame->extension->type != METADATA)
        return 0;
    Metadata *metadata = frame->extension->metadata;
    metadata->version.major = 0;
    metadata->version.minor = 3;
    metadata->traits = 0;
    return 1;
}

static void *failed(const Frame *frame, const char *message)
{
    Failure failure = {sizeof failure, NULL, message, INTERNAL};
    return frame->api->fail(&failure);
}

static void *data_of(const Operands *operands, int64_t i)
{
    return ((Buffer *)operands->items[i])->data;
}

/* -- work in parts ------------------------------------------------------------------------------------ */

/* Parts of one call. Whoever is free takes the next one, the caller too, so that it never waits for a part
   that nobody has begun. The last to leave frees the job. */
typedef struct {
    int parts;
    int (*part)(void *work, int number); /* returns whether it succeeded */
    void *work;
    atomic_int next, wrong, holders;
    int done;
    pthread_mutex_t mutex;
    pthread_cond_t all;
} Job;

static void leave(Job *job)
{
    if (atomic_fetch_sub(&job->holders, 1) == 1) {
        pthread_mutex_destroy(&job->mutex);
        pthread_cond_destroy(&job->all);
        free(job);
    }
}

static void take_parts(Job *job)
{
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < job->parts;) {
        if (!job->part(job->work, i))
            atomic_store(&job->wrong, 1);
        pthread_mutex_lock(&job->mutex);
        if (++job->done == job->parts)
            pthread_cond_signal(&job->all);
        pthread_mutex_unlock(&job->mutex);
    }
}

static void help(void *job)
{
    take_parts(job);
    leave(job);
}

/* Returns how many threads XLA has for this call, at most `most`. */
static int threads_of(const Frame *frame, int most)
{
    int64_t threads = 1;
    Threads ask = {sizeof ask, NULL, frame->context, &threads};
    if (frame->api->threads(&ask) || threads < 1)
        return 1;
    return threads < most ? (int)threads : most;
}

/* Computes parts 0 to parts - 1 in XLA's threads; returns whether all succeeded. `work` is not read after. */
static int in_parts(const Frame *frame, int parts, int (*part)(void *, int), void *work)
{
    if (parts < 2)
        return parts < 1 || part(work, 0);
    Job *job = calloc(1, sizeof *job);
    if (!job)
        return 0;
    job->parts = parts;
    job->part = part;
    job->work = work;
    pthread_mutex_init(&job->mutex, NULL);
    pthread_cond_init(&job->all, NULL);
    atomic_store(&job->holders, 1);
    for (int i = 1; i < parts; i++) {
        Schedule asked = {sizeof asked, NULL, frame->context, help, job};
        atomic_fetch_add(&job->holders, 1);
        if (frame->api->schedule(&asked))
            atomic_fetch_sub(&job->holders, 1);
    }
    take_parts(job);
    pthread_mutex_lock(&job->mutex);
    while (job->done < job->parts)
        pthread_cond_wait(&job->all, &job->mutex);
    pthread_mutex_unlock(&job->mutex);
    int right = !atomic_load(&job->wrong);
    leave(job);
    return right;
}

#endif
