/* Trains the hand-made model of make_module.py for three steps from C, saves it, and runs it. */
#include "plc/Runtime/plc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

static int fail(void) {
  printf("failed: %s\n", plc_last_error());
  return 1;
}

/* A second model that resumes, and one whose parameters were set one by one, go on as the first. */
static int useParameters(plc_module *module, const char *saved) {
  int64_t step;
  uint64_t seed;
  float values[256], zeros[256] = {0};
  for (size_t i = 0; plc_module_entry(module, i); ++i)
    printf("%s%s", i ? ", " : "entries ", plc_module_entry(module, i));
  printf(" of %zu\n", plc_module_num_entries(module));
  for (size_t i = 0; i < plc_module_num_parameters(module); ++i) {
    plc_tensor_info info = plc_module_parameter(module, i);
    printf("%s[%d] %zu bytes\n", info.name, (int)info.shape[0], info.bytes);
  }
  if (plc_module_parameter(module, 2).name || plc_module_get_parameter(module, 0, values) ||
      plc_module_set_parameter(module, 0, zeros) || plc_module_resume(module, saved, &step, &seed) ||
      plc_module_get_parameter(module, 0, zeros))
    return 1;
  printf("resumed step %d seed %d, the same %d\n", (int)step, (int)seed, zeros[7] == values[7] && values[7] != 0);
  printf("code %d: ", plc_module_get_parameter(module, 2, values));
  printf("%s\n", plc_last_error());
  printf("code %d: ", plc_module_resume(module, "none", &step, NULL));
  printf("%s\n", plc_last_error());
  return 0;
}

/* Nobody chose a value of a parameter. */
static int useUnset(const char *file, const char *saved) {
  plc_module *module = plc_module_open(file);
  plc_session *train = module ? plc_session_create(module, "train") : NULL;
  plc_session *infer = train ? plc_session_create(module, "infer") : NULL;
  if (!infer || !plc_session_train(train, 1, NULL, NULL) || !plc_session_run(infer, NULL, NULL))
    return 1;
  printf("code %d: ", plc_module_save(module, saved, 3, 0));
  printf("%s\n", plc_last_error());
  plc_session_destroy(train);
  plc_session_destroy(infer);
  plc_module_close(module);
  return 0;
}

/* Two threads, and the bits of one although the caller flushes subnormal numbers. */
static int useOptions(const char *file) {
  plc_options options = {.struct_size = sizeof(options), .threads_per_stage = 2, .hang_timeout = -1, .check_finite = 1};
  plc_options wrong = {.struct_size = sizeof(wrong), .threads_per_stage = 300};
  plc_options never = {.struct_size = sizeof(never), .hang_timeout = NAN};
  if (plc_module_open_with(file, &wrong))
    return 1;
  printf("%s\n", plc_last_error());
  if (plc_module_open_with(file, &never))
    return 1;
  printf("%s\n", plc_last_error());
  unsigned before = _mm_getcsr();
  float gradients[2][256];
  for (int i = 0; i < 2; ++i) {
    _mm_setcsr(i ? before | 0x8040 : before);
    plc_module *module = plc_module_open_with(file, i ? &options : NULL);
    plc_session *gradient = module ? plc_session_create(module, "gradient") : NULL;
    int32_t tok[4 * 8] = {0}, next[4 * 8] = {3};
    float loss, c;
    const void *inputs[] = {tok, next};
    void *outputs[] = {&loss, gradients[i], &c};
    if (!gradient || plc_module_initialize(module, 5) || plc_session_run(gradient, inputs, outputs))
      return 1;
    if (_mm_getcsr() >> 6 != (i ? before | 0x8040 : before) >> 6)
      return 1;
    plc_session_destroy(gradient);
    plc_module_close(module);
  }
  _mm_setcsr(before);
  printf("same gradients %d\n", memcmp(gradients[0], gradients[1], sizeof(gradients[0])) == 0 && gradients[0][0] != 0);
  return 0;
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
  printf("%s rank %zu [%d, %d, %d] %zu bytes, type %d\n", info.name, info.rank, (int)info.shape[0], (int)info.shape[1],
         (int)info.shape[2], info.bytes, (int)info.type);
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
  printf("code %d: ", plc_session_train(train, 0, inputs, NULL));
  printf("%s\n", plc_last_error());
  printf("code %d: ", plc_session_train(train, INT64_C(1) << 32, inputs, NULL));
  printf("%s\n", plc_last_error());
  printf("code %d: ", plc_module_save(module, argv[2], -2, 0));
  printf("%s\n", plc_last_error());
  if (plc_session_create(module, NULL) || plc_module_open(NULL))
    return 1;
  printf("%s\n", plc_last_error());
  free(logits);
  if (useParameters(module, argv[2]) || useUnset(argv[1], argv[2]) || useOptions(argv[1]))
    return fail();
  float trained[256], kept[256];
  if (plc_session_train(train, 4, inputs, NULL) || plc_module_get_parameter(module, 0, trained))
    return fail();
  tok[3] = 256; /* a step that fails leaves parameters as they were */
  printf("code %d: ", plc_session_train(train, 5, inputs, NULL));
  printf("%s\n", plc_last_error());
  tok[3] = 3;
  printf("kept %d\n", !plc_module_get_parameter(module, 0, kept) && !memcmp(kept, trained, sizeof(kept)));
  plc_session_destroy(train);
  plc_session_destroy(infer);
  plc_module_close(module);
  return 0;
}
