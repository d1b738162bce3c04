/* The C API: runs compiled models from C, or from any language that can call C. Link with libplcrt.
 *
 *   plc_module *module = plc_module_open("gpt.plcm");
 *   plc_module_load(module, "run");
 *   plc_session *session = plc_session_create(module, "infer");
 *   plc_session_run(session, inputs, outputs);
 *
 * Errors. A function that fails returns NULL or a nonzero exit code: 1 bad input, 2 bad usage, 4 a peer is lost, 5 a
 * rank hangs, 6 a step is not finite, 70 internal. plc_last_error() has the reason. The caller's floating-point
 * environment changes no bit of a result, and is restored.
 *
 * Threads. One module and its sessions belong to one thread at a time, whichever that is: a call while another
 * thread is in one fails with 2. Only the functions that describe tensors, entries and processes, and
 * plc_session_create, may be called at any time. plc_module_close and plc_session_destroy leave an object that
 * another thread uses as it is, and set plc_last_error().
 *
 * fork(). The threads of a module that has run stay with the parent. Every call in the child fails with 2, and the
 * child opens the module itself. A module that has only been opened and loaded can be used by parent and child.
 *
 * Training. Call plc_module_initialize or plc_module_resume, then plc_session_train for each step, and
 * plc_module_save. A program that draws has inputs named random(..): i64 keys that differ from sample to sample and,
 * in training, from step to step. step() is the argument of plc_session_train; elsewhere it is the step that made
 * the parameters. After a step that failed, parameters are those of before it. But if the ranks are in several
 * processes, or if the step failed while it updated parameters, they are those that were last initialized, loaded,
 * resumed or set; by `mpi` also saved or read.
 *
 * Several processes. By the transport `mpi` the ranks are spread over processes that mpirun or srun has started.
 * Each of them calls the same functions in the same order, with the same arguments: inputs, and parameters that are
 * set, too. Each gets the same results. The first process reads and writes files of parameters. Calls and their
 * arguments (some bytes of inputs and parameters) are compared. If they differ, the call fails in all processes,
 * with 1. So it does in the others when one process ends, unless the program has initialised MPI itself. If a run or
 * a save fails in one process, the others wait for it: it has to end, and ends all of them. MPI is initialised when
 * a module is opened, unless the program has done so. It is finalized when the program exits, unless the program
 * does so after all modules are closed.
 *
 * Structs may grow at their ends. Each begins with `struct_size`, which the caller sets to the size of the struct
 * that it was compiled with. So a program runs with a library that knows more or less of the struct. Fields that a
 * shorter struct lacks are zero, and a longer one may set none that the library does not know. */
#ifndef PLC_RUNTIME_PLC_H
#define PLC_RUNTIME_PLC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plc_module plc_module;
typedef struct plc_session plc_session;

typedef enum {
  PLC_F64,
  PLC_F32,
  PLC_I64,
  PLC_I32,
  PLC_BOOL, /* a byte, 0 or 1 */
  PLC_F16,  /* IEEE 754's binary16 */
  PLC_BF16, /* the upper half of an f32 */
  PLC_I8,
  PLC_U8
} plc_element_type;

/* Name, type and shape of a tensor. Its pointers are valid as long as its session, or its module. */
typedef struct {
  size_t struct_size; /* sizeof(plc_tensor_info) */
  const char *name;
  plc_element_type type;
  size_t rank;
  const int64_t *shape;
  size_t bytes; /* dense, row-major */
} plc_tensor_info;

/* How a module runs. If all fields but the size are zero: as it was compiled.
 * `plc_options options = {.struct_size = sizeof(options)};` */
typedef struct {
  size_t struct_size;        /* sizeof(plc_options) */
  int64_t threads_per_stage; /* 1 to 256; 0: the module's own */
  double hang_timeout;       /* seconds without progress, below 1e9, after which a rank hangs; 0: 30; below 0: never */
  int check_finite;          /* not 0: fail at the first kernel that writes a NaN or an unexpected infinity */
  const char *transport;     /* "threads", "mpi"; NULL: the module's own */
} plc_options;

/* The version of the library that runs: "0.1.0". */
const char *plc_version(void);

/* The text of this thread's last failure, `FILE: TEXT` or `TEXT`; "" if there was none. */
const char *plc_last_error(void);
/* The same as plc-run prints it: `FILE:LINE:COLUMN: error: TEXT`, the line with a caret if the file can be read, and a
 * line for each note. */
const char *plc_last_error_report(void);

plc_module *plc_module_open(const char *file);
/* NULL for options: the same as plc_module_open. */
plc_module *plc_module_open_with(const char *file, const plc_options *options);
/* This process's number, from 0, among those that run the module, and how many they are: 0 and 1 without MPI. */
int64_t plc_module_process(const plc_module *module);
int64_t plc_module_num_processes(const plc_module *module);
/* What the planner decided: the key `plan` of the module's manifest (docs/module.md), a JSON object. */
const char *plc_module_plan(const plc_module *module);
/* After all of its sessions are destroyed. NULL is allowed. */
void plc_module_close(plc_module *module);

/* Give parameters their values: from a checkpoint folder or a .safetensors file, whose other tensors are not used,
 * or the initial values of a seed. Before they have values, nothing can run or be saved. */
int plc_module_load(plc_module *module, const char *path);
/* The same by a map of names and layouts, a file as `plc-run --map` takes it; NULL: plc_module_load. */
int plc_module_load_mapped(plc_module *module, const char *path, const char *map);
/* The moving averages of a checkpoint folder as parameters, as `plc-run infer --ema` takes them. */
int plc_module_load_averages(plc_module *module, const char *path, const char *map);
/* Writes the parameters alone to a .safetensors file, by a map read backwards, as `plc-run params --export` does; NULL:
 * by their paths. With several processes the first one writes. */
int plc_module_export(plc_module *module, const char *file, const char *map);
int plc_module_initialize(plc_module *module, uint64_t seed);
/* Writes PATH/step-STEP and moves PATH/latest. */
int plc_module_save(plc_module *module, const char *path, int64_t step, uint64_t seed);
/* Parameters and the optimizer's state of a checkpoint; the next step is *step + 1. step and seed may be NULL. */
int plc_module_resume(plc_module *module, const char *path, int64_t *step, uint64_t *seed);
/* The step after which training goes on: the last one of plc_session_train that returned 0, or the one of
 * plc_module_resume. 0 before the first step and after plc_module_initialize. */
int64_t plc_module_step(const plc_module *module);

/* Parameters one by one, in program order; `name` is the path, as in a checkpoint. Data is `bytes` long. An index
 * that is too large is an error, with a null name. */
size_t plc_module_num_parameters(const plc_module *module);
int plc_module_describe_parameter(const plc_module *module, size_t index, plc_tensor_info *info);
int plc_module_get_parameter(plc_module *module, size_t index, void *data);
int plc_module_set_parameter(plc_module *module, size_t index, const void *data);

/* With `use`, puts the moving average of each trained parameter in its place, for all runs, plc_module_export and
 * plc_module_get_parameter. With 0 the parameters come back; until then nothing can be trained, loaded, set or saved.
 * Fails with 2 if the module keeps no averages (`optimizer.ema`). A call that changes something copies all
 * parameters. */
int plc_module_use_averages(plc_module *module, int use);

/* Sets a key of the optimizer for the steps from now on, as `plc-run train --set KEY=VALUE` does: "optimizer.lr",
 * "0.001". Fails with 2 if the key is unknown or fixed when a module is compiled, or if the value is none of it. Values
 * that contradict each other, as a schedule without its steps, make the next plc_session_train fail with 2.
 * Checkpoints save what is set, and plc_module_resume takes what is not set here. */
int plc_module_set(plc_module *module, const char *key, const char *value);

/* Names of entries: "train", "eval", "infer", "infer.OUTPUT+..". A module with "train" also has "gradient": the same
 * outputs and grad(PATH) of each trained parameter, without a step. A module compiled with --output 'grad(x)' has
 * "infer.grad(x)". An index that is too large gives NULL. */
size_t plc_module_num_entries(const plc_module *module);
const char *plc_module_entry(const plc_module *module, size_t index);

/* A session of the entry of this name. */
plc_session *plc_session_create(plc_module *module, const char *entry);
void plc_session_destroy(plc_session *session);

size_t plc_session_num_inputs(const plc_session *session);
size_t plc_session_num_outputs(const plc_session *session);
/* An index that is too large is an error, with a null name. */
int plc_session_describe_input(const plc_session *session, size_t index, plc_tensor_info *info);
int plc_session_describe_output(const plc_session *session, size_t index, plc_tensor_info *info);

/* Fills input `index`, whose name is random(..), with the keys that plc-run gives: of a seed, of samples from
 * `first_sample` on, and of the step, which is 0 outside of training. Fails with 2 for another input. */
int plc_session_random_keys(const plc_session *session, size_t index, uint64_t seed, int64_t step, int64_t first_sample,
                            int64_t *keys);

/* One run with the module's present parameters, of any entry but "train". Each pointer is to the `bytes` of its
 * tensor. */
int plc_session_run(plc_session *session, const void *const *inputs, void *const *outputs);
/* Resets what the model keeps from run to run (`state`) to its initial values. The sessions of one entry share it. */
int plc_session_restart(plc_session *session);
/* One optimizer step of entry "train"; `step` is 1 to 2147483647. Writes the loss before the update to `loss`, if
 * that is not NULL. If loss or gradient norm is NaN or infinite, no parameter changes and 6 is returned, with `loss`
 * set; plc_last_error() names the first value that is not finite. Modules with `training.nonfinite = "skip"` change
 * no parameter and return 0; those with "ignore" take the step. */
int plc_session_train(plc_session *session, int64_t step, const void *const *inputs, double *loss);

/* The same descriptions by value. They are compiled into the program, so the size of the struct is the program's. */
static inline plc_tensor_info plc_module_parameter(const plc_module *module, size_t index) {
  plc_tensor_info info;
  info.struct_size = sizeof(info);
  plc_module_describe_parameter(module, index, &info);
  return info;
}
static inline plc_tensor_info plc_session_input(const plc_session *session, size_t index) {
  plc_tensor_info info;
  info.struct_size = sizeof(info);
  plc_session_describe_input(session, index, &info);
  return info;
}
static inline plc_tensor_info plc_session_output(const plc_session *session, size_t index) {
  plc_tensor_info info;
  info.struct_size = sizeof(info);
  plc_session_describe_output(session, index, &info);
  return info;
}

#ifdef __cplusplus
}
#endif

#endif
