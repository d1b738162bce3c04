/* use_mpi MODULE TRANSPORT FOLDER [fail]: trains for three steps, saves, resumes what is not there and what is, and runs. The
 * first process prints everything's bits. With `fail`, an index of a step is out of range, which one process alone sees. */
#include "plc/Runtime/plc.h"

#include <stdio.h>
#include <string.h>

static float logits[4 * 8 * 256];

int main(int argc, char **argv) {
  plc_options options = {.struct_size = sizeof(options)};
  options.transport = *argv[2] ? argv[2] : NULL;
  plc_module *module = plc_module_open_with(argv[1], &options);
  if (!module) {
    printf("%s\n", plc_last_error());
    return 2;
  }
  int leads = plc_module_process(module) == 0, code = 0;
  plc_session *train = plc_session_create(module, "train"), *infer = plc_session_create(module, "infer");
  int32_t tok[4 * 8], next[4 * 8];
  for (int i = 0; i < 4 * 8; ++i) {
    tok[i] = i;
    next[i] = i + 1;
  }
  const void *inputs[] = {tok, next};
  void *outputs[] = {logits};
  double loss;
  code = plc_module_resume(module, "none", NULL, NULL);
  if (leads)
    printf("none: %d %s\n", code, plc_last_error());
  code |= plc_module_initialize(module, 3);
  for (int step = 1; step <= 3; ++step) {
    tok[3] = argc > 4 && step == 3 ? -1 : 3;
    if (plc_session_train(train, step, inputs, &loss)) {
      fprintf(stderr, "%s\n", plc_last_error());
      return 1;
    }
    if (leads)
      printf("step %d loss %a\n", step, loss);
  }
  int64_t step = 0;
  uint64_t seed = 0;
  if (plc_module_save(module, argv[3], 3, 9) || plc_module_initialize(module, 4) ||
      plc_module_resume(module, argv[3], &step, &seed) || plc_session_train(train, step + 1, inputs, &loss) ||
      plc_session_run(infer, inputs, outputs)) {
    fprintf(stderr, "%s\n", plc_last_error());
    return 1;
  }
  double sum = 0;
  for (size_t i = 0; i < sizeof(logits) / sizeof(*logits); ++i)
    sum += logits[i];
  if (leads)
    printf("resumed step %d seed %d loss %a logits %a\n", (int)step, (int)seed, loss, sum);
  else
    fprintf(stderr, "process %d of %d\n", (int)plc_module_process(module), (int)plc_module_num_processes(module));
  plc_session_destroy(train);
  plc_session_destroy(infer);
  plc_module_close(module);
  return 0;
}
