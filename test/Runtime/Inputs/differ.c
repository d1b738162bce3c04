/* differ MODULE HOW: two processes train, and the second one does otherwise: `seed`, `inputs`, `step`, `ends`. */
#include "plc/Runtime/plc.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  plc_options options = {.struct_size = sizeof(options)};
  options.transport = "mpi";
  plc_module *module = plc_module_open_with(argv[1], &options);
  if (!module || argc != 3) {
    fprintf(stderr, "%s\n", plc_last_error());
    return 70;
  }
  int differs = plc_module_process(module) == 1;
  int is_seed = differs && !strcmp(argv[2], "seed"), is_input = differs && !strcmp(argv[2], "inputs");
  int is_step = differs && !strcmp(argv[2], "step");
  int32_t tok[4 * 8] = {0}, next[4 * 8] = {0};
  next[31] = is_input;
  const void *inputs[] = {tok, next};
  plc_session *train = plc_session_create(module, "train");
  int code = plc_module_initialize(module, is_seed);
  if (!code && differs && !strcmp(argv[2], "ends"))
    return 3;
  for (int step = 1; !code && step <= 2; ++step)
    code = plc_session_train(train, step + is_step, inputs, NULL);
  if (code)
    fprintf(stderr, "process %d: %s\n", differs, plc_last_error());
  plc_session_destroy(train);
  plc_module_close(module);
  return code;
}
