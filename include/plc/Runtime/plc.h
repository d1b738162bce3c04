/* Running a compiled model from C, or from any language that calls C. Link with libplcrt.
 *
 *   plc_module *module = plc_module_open("gpt.plcm");
 *   plc_module_load(module, "run");
 *   plc_session *session = plc_session_create(module, "infer");
 *   plc_session_run(session, inputs, outputs);
 *
 * A function that fails returns NULL or a nonzero exit code (1 bad input, 2 bad usage, 70 internal), and
 * plc_last_error() tells why. One module and its sessions belong to one thread at a time. */
#ifndef PLC_RUNTIME_PLC_H
#define PLC_RUNTIME_PLC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plc_module plc_module;
typedef struct plc_session plc_session;

typedef enum { PLC_F64, PLC_F32, PLC_I64, PLC_I32, PLC_BOOL /* a byte, 0 or 1 */ } plc_element_type;

/* Valid as long as its session. */
typedef struct {
  const char *name;
  plc_element_type type;
  size_t rank;
  const int64_t *shape;
  size_t bytes; /* dense, row-major */
} plc_tensor_info;

/* `FILE: TEXT` or `TEXT` of this thread's last failure; "" if there was none. */
const char *plc_last_error(void);

plc_module *plc_module_open(const char *file);
/* After all of its sessions are destroyed. NULL is allowed. */
void plc_module_close(plc_module *module);

/* Parameters: from a checkpoint folder or a .safetensors file, or the initial values of a seed. */
int plc_module_load(plc_module *module, const char *path);
int plc_module_initialize(plc_module *module, uint64_t seed);
/* Writes PATH/step-STEP and moves PATH/latest. */
int plc_module_save(plc_module *module, const char *path, int64_t step, uint64_t seed);

/* One entry: "train", "eval", "infer" or "infer.OUTPUT". */
plc_session *plc_session_create(plc_module *module, const char *entry);
void plc_session_destroy(plc_session *session);

size_t plc_session_num_inputs(const plc_session *session);
size_t plc_session_num_outputs(const plc_session *session);
/* An index that is too large gives a null name. */
plc_tensor_info plc_session_input(const plc_session *session, size_t index);
plc_tensor_info plc_session_output(const plc_session *session, size_t index);

/* One run with the module's present parameters; each pointer is to the `bytes` of its tensor. Not for "train". */
int plc_session_run(plc_session *session, const void *const *inputs, void *const *outputs);
/* One optimizer step (1 is the first) of entry "train"; the loss before the update, if `loss` is not NULL. */
int plc_session_train(plc_session *session, int64_t step, const void *const *inputs, double *loss);

#ifdef __cplusplus
}
#endif

#endif
