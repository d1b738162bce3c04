/* Trains the hand-made model of make_module.py for three steps from C, saves it, and runs it. */
#include "plc/Runtime/plc.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
  printf("failed: %s\n", plc_last_error());
  return 1;
}

int main(int argc, char **argv) {
  if (plc_module_open("none.plcm"))
    return 1;
  printf("%s\n", plc_last_error());
  plc_module *module = plc_module_open(argv[1]);
  if (!module || plc_module_initialize(module, 0))
    return fail();
  plc_session *train = plc_session_create(module, "train"), *infer = plc_session_create(module, "infer");
  if (!train || !infer || plc_session_create(module, "none"))
    return fail();
  printf("%s\n", plc_last_error());
  int32_t tok[4 * 8], next[4 * 8];
  for (int i = 0; i < 4 * 8; ++i) {
    tok[i] = i;
    next[i] = i + 1;
  }
  const void *inputs[] = {tok, next};
  for (int step = 1; step <= 3; ++step) {
    double loss;
    if (plc_session_train(train, step, inputs, &loss))
      return fail();
    printf("step %d loss %.6f\n", step, loss);
  }
  if (plc_module_save(module, argv[2], 3, 0))
    return fail();
  plc_tensor_info info = plc_session_output(infer, 0);
  printf("%s rank %zu [%d, %d, %d] %zu bytes, type %d\n", info.name, info.rank, (int)info.shape[0],
         (int)info.shape[1], (int)info.shape[2], info.bytes, (int)info.type);
  float *logits = malloc(info.bytes);
  void *outputs[] = {logits};
  if (plc_session_run(infer, inputs, outputs))
    return fail();
  printf("likely %d\n", logits[1] > 10);
  tok[3] = -1;
  printf("code %d: ", plc_session_run(infer, inputs, outputs));
  printf("%s\n", plc_last_error());
  tok[3] = 3; /* an error does not spoil the session */
  printf("again %d\n", plc_session_run(infer, inputs, outputs));
  printf("code %d: ", plc_session_run(train, inputs, outputs));
  printf("%s\n", plc_last_error());
  printf("code %d: ", plc_session_train(infer, 1, inputs, NULL));
  printf("%s\n", plc_last_error());
  free(logits);
  plc_session_destroy(train);
  plc_session_destroy(infer);
  plc_module_close(module);
  return 0;
}
