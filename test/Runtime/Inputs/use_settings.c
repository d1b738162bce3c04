/* use_settings.c MODULE FOLDER: trains with settings that change from step to step, saves, and resumes in another module. */
#include "plc/Runtime/plc.h"

#include <stdio.h>

static void set(plc_module *module, const char *key, const char *value) {
  int code = plc_module_set(module, key, value);
  printf("set %s = %s: %d%s%s\n", key, value, code, code ? ": " : "", code ? plc_last_error() : "");
}

static void train(plc_module *module, plc_session *session, int64_t step) {
  static const float x[4] = {1, 1, 1, 1};
  const void *inputs[] = {x};
  float before, after;
  plc_module_get_parameter(module, 0, &before);
  int code = plc_session_train(session, step, inputs, NULL);
  if (code) {
    printf("code %d: %s\n", code, plc_last_error());
    return;
  }
  plc_module_get_parameter(module, 0, &after);
  printf("step %d moves w by %g\n", (int)step, before - after);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  plc_module *module = plc_module_open(argv[1]);
  plc_module_initialize(module, 0);
  plc_session *session = plc_session_create(module, "train");
  train(module, session, 1);
  set(module, "optimizer.lr", "0.5");
  train(module, session, 2);
  set(module, "optimizer.schedule.kind", "linear");
  train(module, session, 3);
  set(module, "optimizer.schedule.total", "4");
  train(module, session, 3);
  set(module, "optimizer.clip_value", "0.25");
  train(module, session, 3);
  set(module, "optimizer.lr", "-1");
  set(module, "parallelism.stages", "2");
  set(module, "optimizer.lrr", "1");
  int code = plc_module_set(module, NULL, "1");
  printf("no key: %d: %s\n", code, plc_last_error());
  if (plc_module_save(module, argv[2], 3, 0))
    printf("%s\n", plc_last_error());
  plc_module *other = plc_module_open(argv[1]);
  int64_t step;
  set(other, "optimizer.lr", "1");
  if (plc_module_resume(other, argv[2], &step, NULL))
    printf("%s\n", plc_last_error());
  plc_session *going = plc_session_create(other, "train");
  train(other, going, step + 1);
  plc_session_destroy(going);
  plc_session_destroy(session);
  plc_module_close(other);
  plc_module_close(module);
  return 0;
}
