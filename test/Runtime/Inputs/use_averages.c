/* use_averages.c MODULE WITHOUT FOLDER: runs a model with the moving averages of its parameters; WITHOUT keeps none. */
#include "plc/Runtime/plc.h"

#include <stdio.h>

static void report(const char *call, int code) {
  printf("%s: %d%s%s\n", call, code, code ? ": " : "", code ? plc_last_error() : "");
}

static void train(plc_session *session, int64_t step) {
  static const float x[4] = {1, 1, 1, 1};
  const void *inputs[] = {x};
  double loss;
  int code = plc_session_train(session, step, inputs, &loss);
  if (code)
    report("train", code);
  else
    printf("loss %g\n", loss);
}

static void infer(plc_session *session) {
  static const float x[4] = {1, 1, 1, 1};
  float loss, y[4];
  const void *inputs[] = {x};
  void *outputs[] = {&loss, y};
  report("infer", plc_session_run(session, inputs, outputs));
  printf("y %g\n", y[0]);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  plc_module *module = plc_module_open(argv[1]);
  report("before values", plc_module_use_averages(module, 1));
  plc_module_initialize(module, 0);
  plc_session *steps = plc_session_create(module, "train"), *runs = plc_session_create(module, "infer");
  train(steps, 1);
  train(steps, 2);
  infer(runs);
  report("use", plc_module_use_averages(module, 1));
  report("again", plc_module_use_averages(module, 1));
  infer(runs);
  float w = 0;
  plc_module_get_parameter(module, 0, &w);
  printf("w %g\n", w);
  report("export", plc_module_export(module, "averages.safetensors", NULL));
  train(steps, 3);
  report("save", plc_module_save(module, argv[3], 2, 0));
  report("set", plc_module_set_parameter(module, 0, &w));
  report("load", plc_module_load(module, argv[3]));
  report("initialize", plc_module_initialize(module, 0));
  report("resume", plc_module_resume(module, argv[3], NULL, NULL));
  report("use no longer", plc_module_use_averages(module, 0));
  infer(runs);
  train(steps, 3);
  report("save", plc_module_save(module, argv[3], 3, 0));
  report("export by a map", plc_module_export(module, "mapped.safetensors", "map.toml"));
  report("no map", plc_module_export(module, "mapped.safetensors", "none.toml"));
  report("load averages", plc_module_load_averages(module, argv[3], NULL));
  infer(runs);
  plc_session_destroy(steps);
  plc_session_destroy(runs);
  plc_module_close(module);

  module = plc_module_open(argv[2]);
  plc_module_initialize(module, 0);
  report("without", plc_module_use_averages(module, 1));
  plc_module_save(module, "without", 0, 0);
  report("load none", plc_module_load_averages(module, "without", NULL));
  report("load a file", plc_module_load_averages(module, "mapped.safetensors", NULL));
  plc_module_close(module);
  return 0;
}
