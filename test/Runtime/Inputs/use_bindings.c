/* use_bindings.c MODULE WEIGHTS MAP FOLDER: what bindings of other languages need: whole reports, plan, step, maps, keys
 * of draws. */
#include "plc/Runtime/plc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static float parameter(plc_module *module) {
  float values[2];
  plc_module_get_parameter(module, 0, values);
  return values[1];
}

static void train(plc_module *module, plc_session *session, float x) {
  const float inputs[4] = {x, x, x, x};
  int64_t keys[4];
  const void *pointers[2];
  for (size_t i = 0; i < 2; ++i)
    pointers[i] = strcmp(plc_session_input(session, i).name, "x") ? (const void *)keys : inputs;
  size_t drawn = pointers[0] == keys ? 0 : 1;
  int64_t step = plc_module_step(module) + 1;
  plc_session_random_keys(session, drawn, 7, step, 0, keys);
  double loss;
  int code = plc_session_train(session, step, pointers, &loss);
  printf("code %d loss %.9g, step %d\n", code, loss, (int)plc_module_step(module));
  if (code)
    printf("%s", plc_last_error_report());
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  printf("report '%s'\n", plc_last_error_report());
  plc_module *module = plc_module_open(argv[1]);
  printf("plan %d, step %d\n", strstr(plc_module_plan(module), "\"stages\"") != NULL, (int)plc_module_step(module));
  printf("load %d", plc_module_load(module, argv[2]));
  printf(", mapped %d", plc_module_load_mapped(module, argv[2], argv[3]));
  printf(": %g\n", parameter(module));
  printf("no map %d: ", plc_module_load_mapped(module, argv[2], "none.toml"));
  printf("%s\n%s", plc_last_error(), plc_last_error_report());
  plc_session *session = plc_session_create(module, "train");
  for (size_t i = 0; i < 3; ++i) {
    int64_t keys[2][4] = {{0}};
    int code = plc_session_random_keys(session, i, 7, 1, 0, keys[0]);
    if (code)
      printf("keys %d: %s\n", code, plc_last_error());
    else if (!plc_session_random_keys(session, i, 7, 1, 2, keys[1]))
      printf("keys of samples 2 and 3: %d\n", keys[0][2] == keys[1][0] && keys[0][3] == keys[1][1]);
  }
  plc_module_initialize(module, 7);
  train(module, session, 1);
  train(module, session, 2);
  train(module, session, NAN);
  train(module, session, 1);
  plc_module_save(module, argv[4], plc_module_step(module), 7);
  plc_module_initialize(module, 7);
  printf("initialized: step %d\n", (int)plc_module_step(module));
  plc_module_resume(module, argv[4], NULL, NULL);
  printf("resumed: step %d\n", (int)plc_module_step(module));
  plc_session_destroy(session);
  plc_module_close(module);
  return 0;
}
