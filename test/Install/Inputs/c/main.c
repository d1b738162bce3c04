/* Runs entry `infer` of a module with parameters of seed 1 on inputs of zeros, and tells its outputs. */
#include <plc/Runtime/plc.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 4 };

int main(int argc, char **argv) {
  plc_module *module = plc_module_open(argv[argc - 1]);
  plc_session *session = module ? plc_session_create(module, "infer") : NULL;
  if (!session || plc_module_initialize(module, 1)) {
    fprintf(stderr, "%s\n", plc_last_error());
    return 1;
  }
  void *inputs[most] = {0}, *outputs[most] = {0};
  for (size_t i = 0; i < plc_session_num_inputs(session) && i < most; ++i)
    inputs[i] = calloc(1, plc_session_input(session, i).bytes);
  for (size_t i = 0; i < plc_session_num_outputs(session) && i < most; ++i)
    outputs[i] = calloc(1, plc_session_output(session, i).bytes);
  int code = plc_session_run(session, (const void *const *)inputs, outputs);
  for (size_t i = 0; i < plc_session_num_outputs(session); ++i) {
    plc_tensor_info output = plc_session_output(session, i);
    printf("%s %zu bytes, first %.6f\n", output.name, output.bytes, *(float *)outputs[i]);
  }
  for (int i = 0; i < most; ++i) {
    free(inputs[i]);
    free(outputs[i]);
  }
  plc_session_destroy(session);
  plc_module_close(module);
  return code;
}
