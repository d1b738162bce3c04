/* Runs a counter (states.test): what it keeps goes on, and begins anew. */
#include <plc/Runtime/plc.h>
#include <stdio.h>

int main(int argc, char **argv) {
  plc_module *module = argc > 1 ? plc_module_open(argv[1]) : NULL;
  plc_session *session = module && !plc_module_initialize(module, 0) ? plc_session_create(module, "infer") : NULL;
  if (!session)
    return printf("%s\n", plc_last_error()), 1;
  float x[4] = {1, 2, 3, 4}, total[4];
  const void *inputs[] = {x};
  void *outputs[] = {total};
  for (int run = 0; run < 5; ++run) {
    if (run == 3 && plc_session_restart(session))
      return printf("%s\n", plc_last_error()), 1;
    if (plc_session_run(session, inputs, outputs))
      return printf("%s\n", plc_last_error()), 1;
    printf("%g %g %g %g\n", total[0], total[1], total[2], total[3]);
  }
  plc_session_destroy(session);
  plc_module_close(module);
  return 0;
}
