/* Steps that are not finite, by the C API: use MODULE CHECKPOINT. The module has one parameter and one real input. */
#include "plc/Runtime/plc.h"

#include <math.h>
#include <stdio.h>

static int train(plc_session *session, plc_module *module, int64_t step, const float *x) {
  const void *inputs[] = {x};
  double loss = 0;
  float w = 0;
  int code = plc_session_train(session, step, inputs, &loss);
  if (plc_module_get_parameter(module, 0, &w))
    return 1;
  printf("code %d loss %s w %.6f", code, isnan(loss) ? "nan" : "finite", w);
  printf("%s%s\n", code ? ": " : "", code ? plc_last_error() : "");
  return 0;
}

int main(int argc, char **argv) {
  plc_module *module = plc_module_open(argv[1]);
  plc_session *session = module ? plc_session_create(module, "train") : NULL;
  float good[4] = {1, 2, 3, 4}, bad[4] = {1, NAN, 3, 4};
  if (argc < 3 || !session || plc_module_initialize(module, 0))
    return 1;
  /* The second step fails, and is made again with other data. */
  if (train(session, module, 1, good) || train(session, module, 2, bad) || train(session, module, 2, good))
    return 1;
  printf("code %d: ", plc_module_resume(module, argv[2], NULL, NULL));
  printf("%s\n", plc_last_error());
  plc_session_destroy(session);
  plc_module_close(module);
  return 0;
}
