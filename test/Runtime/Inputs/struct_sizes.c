/* Calls the library as programs do that were compiled with an older or a newer plc.h, whose structs end earlier or later. */
#include "plc/Runtime/plc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  size_t struct_size;
  int64_t threads_per_stage;
} older_options;

typedef struct {
  plc_options known;
  int64_t later;
} newer_options;

typedef struct {
  size_t struct_size;
  const char *name;
} older_info;

typedef struct {
  plc_tensor_info known;
  int64_t later;
} newer_info;

static void open_with(const char *file, const void *options) {
  plc_module *module = plc_module_open_with(file, options);
  printf("%s\n", module ? "opens" : plc_last_error());
  plc_module_close(module);
}

static void describe(plc_module *module) {
  struct {
    older_info info;
    int64_t behind;
  } older = {{sizeof(older_info), NULL}, 7};
  int code = plc_module_describe_parameter(module, 0, (plc_tensor_info *)&older.info);
  printf("older %d: %s, behind it %d\n", code, older.info.name, (int)older.behind);
  newer_info newer;
  memset(&newer, 0xff, sizeof(newer));
  newer.known.struct_size = sizeof(newer);
  code = plc_module_describe_parameter(module, 0, &newer.known);
  printf("newer %d: %s of %zu bytes, later %d\n", code, newer.known.name, newer.known.bytes, (int)newer.later);
  printf("size kept %d\n", newer.known.struct_size == sizeof(newer));
  plc_tensor_info info = {0};
  code = plc_module_describe_parameter(module, 0, &info);
  printf("unset %d: %s\n", code, plc_last_error());
  info.struct_size = sizeof(info);
  info.name = "old";
  code = plc_module_describe_parameter(module, 99, &info);
  printf("index %d: %s, %s\n", code, plc_last_error(), info.name ? info.name : "no name");
  plc_session *session = plc_session_create(module, "infer");
  code = plc_session_describe_input(session, 9, &info);
  printf("input %d: %s\n", code, plc_last_error());
  info.struct_size = 0;
  code = plc_session_describe_output(session, 0, &info);
  printf("output %d: %s\n", code, plc_last_error());
  plc_session_destroy(session);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  printf("version %s\n", plc_version());
  older_options older = {sizeof(older), 2}, wrong = {sizeof(wrong), 300};
  open_with(argv[1], &older);
  open_with(argv[1], &wrong);
  newer_options newer = {{.struct_size = sizeof(newer), .threads_per_stage = 2}, 0};
  open_with(argv[1], &newer);
  newer.later = 1;
  open_with(argv[1], &newer);
  plc_options unset = {.threads_per_stage = 2};
  open_with(argv[1], &unset);
  unset.struct_size = 7; /* no size of a struct that begins with a size_t */
  open_with(argv[1], &unset);
  unset.struct_size = 1 << 20; /* what lies on the stack */
  open_with(argv[1], &unset);
  plc_module *module = plc_module_open(argv[1]);
  if (!module)
    return 1;
  describe(module);
  plc_module_close(module);
  return 0;
}
