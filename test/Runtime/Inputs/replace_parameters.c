/* Runs two modules of one model, one of which keeps what its parameters make, before and after parameters are replaced one
   by one and by training. Prints whether the results are the same, and whether they have changed. */
#include "plc/Runtime/plc.h"

#include <stdio.h>
#include <string.h>

enum { values = 4 * 8 * 16 };
static float x[values], t[values], results[2][values], before[values];
static plc_module *modules[2];

static int run(void) {
  memcpy(before, results[0], sizeof(before));
  for (int i = 0; i < 2; ++i) {
    plc_session *infer = plc_session_create(modules[i], "infer.y");
    const void *inputs[] = {x};
    void *outputs[] = {results[i]};
    if (!infer || plc_session_run(infer, inputs, outputs))
      return -1;
    plc_session_destroy(infer);
  }
  return memcmp(results[0], results[1], sizeof(before)) == 0;
}

static int changed(void) { return memcmp(before, results[0], sizeof(before)) != 0; }

static int replace(const char *path) {
  for (int i = 0; i < 2; ++i)
    for (size_t index = 0; index < plc_module_num_parameters(modules[i]); ++index) {
      plc_tensor_info info = plc_module_parameter(modules[i], index);
      float data[256] = {0};
      if (strcmp(info.name, path) == 0 && plc_module_set_parameter(modules[i], index, data))
        return 1;
    }
  return 0;
}

static int train(void) {
  for (int i = 0; i < 2; ++i) {
    plc_session *session = plc_session_create(modules[i], "train");
    const void *inputs[] = {x, t};
    double loss;
    if (!session || plc_session_train(session, 1, inputs, &loss))
      return 1;
    plc_session_destroy(session);
  }
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 0; i < values; ++i) {
    x[i] = (float)(i % 7) / 7;
    t[i] = (float)(i % 5) / 5;
  }
  for (int i = 0; i < 2 && i + 1 < argc; ++i)
    if (!(modules[i] = plc_module_open(argv[i + 1])) || plc_module_initialize(modules[i], 1))
      return printf("failed: %s\n", plc_last_error()), 1;
  if (run() < 0)
    return printf("failed: %s\n", plc_last_error()), 1;
  printf("first the same %d", run());
  if (replace("mix.w"))
    return printf("failed: %s\n", plc_last_error()), 1;
  int same = run();
  printf(", another parameter the same %d, changed %d", same, changed());
  if (train())
    return printf("failed: %s\n", plc_last_error()), 1;
  same = run();
  printf(", trained the same %d, changed %d\n", same, changed());
  for (int i = 0; i < 2; ++i)
    plc_module_close(modules[i]);
  return 0;
}
