/* Calls of two threads on one module, hand-overs, and forked children: use_threads TINY.plcm SLOW.plcm (threads.test). */
#include <plc/Runtime/plc.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(CONDITION) check(CONDITION, #CONDITION, __LINE__)
static void check(int holds, const char *condition, int line) {
  if (holds)
    return;
  printf("line %d: %s: %s\n", line, condition, plc_last_error());
  fflush(stdout);
  _exit(1);
}

static const char *file;
static plc_module *module;
static const int32_t tok[4 * 8] = {5, 9}, next[4 * 8] = {3};
static const void *inputs[] = {tok, next};
static float expected[4 * 8 * 256];
static atomic_int threads, refused;

static int isInUse(int code) {
  return code == 2 && strstr(plc_last_error(), "module 'tiny' is in use by another thread");
}
static int isParents(int code) {
  return code == 2 &&
         !strcmp(plc_last_error(), "module 'tiny' was opened before fork(), and its threads are the parent's: "
                                   "open the module in the child");
}

/* All functions that must not run beside another one. */
static void expectAll(int (*isRefused)(int code), plc_session *session, plc_session *train) {
  float values[4 * 8 * 256];
  void *outputs[] = {values};
  CHECK(isRefused(plc_session_run(session, inputs, outputs)));
  CHECK(isRefused(plc_session_train(train, 1, inputs, NULL)));
  CHECK(isRefused(plc_session_restart(session)));
  CHECK(isRefused(plc_module_load(module, "none")));
  CHECK(isRefused(plc_module_initialize(module, 3)));
  CHECK(isRefused(plc_module_save(module, "none", 1, 0)));
  CHECK(isRefused(plc_module_resume(module, "none", NULL, NULL)));
  CHECK(isRefused(plc_module_get_parameter(module, 0, values)));
  CHECK(isRefused(plc_module_set_parameter(module, 0, values)));
}

static void *runOnce(void *session) {
  float *logits = calloc(1, sizeof(expected));
  void *outputs[] = {logits};
  CHECK(!plc_session_run(session, inputs, outputs) && !memcmp(logits, expected, sizeof(expected)));
  free(logits);
  return NULL;
}

/* A session of its own, until each thread has been refused. */
static void *runMuch(void *unused) {
  plc_session *session = plc_session_create(module, "infer");
  float *logits = calloc(1, sizeof(expected));
  void *outputs[] = {logits};
  CHECK(session != NULL);
  int refusedHere = 0;
  for (++threads; threads < 2;)
    ;
  while (refused < 2) {
    int code = plc_session_run(session, inputs, outputs);
    CHECK(code ? isInUse(code) : !memcmp(logits, expected, sizeof(expected)));
    if (code && !refusedHere++)
      ++refused;
  }
  plc_session_destroy(session);
  free(logits);
  return unused;
}

static void both(void *(*run)(void *)) {
  pthread_t other;
  threads = refused = 0;
  CHECK(!pthread_create(&other, NULL, run, NULL));
  run(NULL);
  CHECK(!pthread_join(other, NULL));
}

/* In a child, which must end soon. */
static void inChild(void (*run)(plc_session *, plc_session *), plc_session *session, plc_session *train) {
  int status;
  pid_t child = fork();
  if (!child) {
    alarm(10);
    run(session, train);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void runAsParent(plc_session *session, plc_session *unused) { runOnce(session); }

/* The parent's module is refused; one of the child's own works. */
static void useOwn(plc_session *session, plc_session *train) {
  expectAll(isParents, session, train);
  plc_module_close(module);
  module = plc_module_open(file);
  CHECK(module && !plc_module_initialize(module, 7) && (session = plc_session_create(module, "infer")));
  runOnce(session);
  plc_session_destroy(session);
  plc_module_close(module);
}

/* Reads from a pipe, and so does not return until that is closed. Who looks whether it does may be in the way. */
static void *load(void *name) {
  int code;
  while (isInUse(code = plc_module_load(module, name)))
    ;
  CHECK(code == 1);
  return NULL;
}

static void useWhileLoading(plc_session *session, plc_session *train) {
  int ends[2];
  char name[32];
  float values[256];
  pthread_t other;
  CHECK(!pipe(ends));
  snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
  CHECK(!pthread_create(&other, NULL, load, name));
  while (!isInUse(plc_module_get_parameter(module, 0, values)))
    ;
  expectAll(isInUse, session, train);
  plc_module_close(module);
  CHECK(isInUse(2));
  CHECK(plc_module_num_entries(module) == 4 && plc_session_input(session, 0).bytes == 128);
  inChild(useOwn, session, train);
  CHECK(!close(ends[1]) && !pthread_join(other, NULL) && !close(ends[0]));
  runOnce(session);
}

static void *trainOnce(void *train) {
  int code;
  while (isInUse(code = plc_session_train(train, 1, inputs, NULL)))
    ;
  CHECK(!code);
  return NULL;
}

/* A step takes a second. If the machine takes as long between two calls of this thread, it tries again. */
static void destroyWhileTraining(const char *slow) {
  float values[256];
  plc_module *late = plc_module_open(slow);
  CHECK(late && !plc_module_initialize(late, 7));
  for (int kept = 0; !kept;) {
    pthread_t other;
    plc_session *train = plc_session_create(late, "train");
    CHECK(train && !pthread_create(&other, NULL, trainOnce, train));
    while (!plc_module_get_parameter(late, 0, values))
      ;
    plc_session_destroy(train);
    kept = !strcmp(plc_last_error(), "session of entry 'train' is in use by another thread: it is not destroyed");
    CHECK(!pthread_join(other, NULL));
    if (kept)
      plc_session_destroy(train);
  }
  plc_module_close(late);
}

int main(int argc, char **argv) {
  void *outputs[] = {expected};
  CHECK(argc == 3);
  file = argv[1];
  alarm(60);
  plc_module *first = plc_module_open(file);
  plc_session *session = plc_session_create(first, "infer");
  CHECK(session && !plc_module_initialize(first, 7) && !plc_session_run(session, inputs, outputs));
  plc_session_destroy(session);
  plc_module_close(first);

  module = plc_module_open(file);
  session = plc_session_create(module, "infer");
  plc_session *train = plc_session_create(module, "train");
  CHECK(session && train && !plc_module_initialize(module, 7));
  inChild(runAsParent, session, NULL);
  runOnce(session);
  printf("before the first run: the child runs what the parent has opened\n");
  for (int i = 0; i < 10; ++i)
    both(runMuch);
  printf("two threads: refused or right\n");
  for (int i = 0; i < 50; ++i) {
    pthread_t other;
    CHECK(!pthread_create(&other, NULL, runOnce, session) && !pthread_join(other, NULL));
    runOnce(session);
  }
  printf("one thread after the other: right\n");
  for (int i = 0; i < 10; ++i)
    inChild(useOwn, session, train);
  runOnce(session);
  printf("children: refused, and right with their own\n");
  for (int i = 0; i < 5; ++i)
    useWhileLoading(session, train);
  printf("while another thread loads: all refused\n");
  plc_session_destroy(session);
  plc_session_destroy(train);
  plc_module_close(module);
  destroyWhileTraining(argv[2]);
  printf("while another thread trains: not destroyed\n");
  return 0;
}
