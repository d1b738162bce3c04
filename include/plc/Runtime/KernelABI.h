/* The interface between the kernels of a compiled module and the runtime. Plain C. */
#ifndef PLC_RUNTIME_KERNELABI_H
#define PLC_RUNTIME_KERNELABI_H

#include <stdint.h>

/* One for each worker thread. Kernels write the fault fields; the runtime reads them after a nonzero return. */
struct plc_kernel_context {
  void *rntm; /* BLIS rntm_t: one thread, small-matrix kernels off; given to bli_?gemm_ex */
  /* Filled in before a kernel returns nonzero: a gather's index was out of range. */
  int64_t fault_gather;   /* which entry of the kernel's "gathers" in the manifest */
  int64_t fault_position; /* flattened position in the index tensor */
  int64_t fault_value;    /* the index found there */
};

/* Computes chunks [begin, end) of a kernel. Operands are its inputs, then its outputs, each dense, row-major and
 * aligned to its elements; an accumulator is passed once, as the output. accumulate: 0 stores, 1 adds to what is there.
 * Returns 0, or 1 with the fault fields filled in. */
typedef int32_t (*plc_kernel_fn)(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                                 struct plc_kernel_context *context);

#endif
