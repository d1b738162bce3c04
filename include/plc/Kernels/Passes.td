//===- Passes.td - passes of the library Kernels ----------------------------===//
#ifndef PLC_KERNELS_PASSES
#define PLC_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "group the equations of every body in kernels";
  let description = [{
    Before: `ein.func`s hold equations in f32 or f64, with binary contractions and an order for every sum. After: they
    hold only `plan.call`s and an `ein.return`, and the module holds one `plan.kernel` for each distinct group of
    equations. Two groups with the same equations on the same types share one, so the number of kernels does not depend
    on the number of layers.

    These equations form a group:

    - a contraction with the gather that it reads in place, if a table has a matrix for each position;
    - a `scatter_add` with the copy or product that it adds, if that repeats smaller values;
    - a `chain` reduction with the maps and gathers that only it uses;
    - maps, casts, gathers and `lanes` reductions with common rows.

    Masks, constants and gathers that are read in place are cloned into their users. No other equation is changed, split
    or computed twice. Without `fusion` each other equation is a kernel of its own; the bits are the same.

    With `prepare`, equations that are the same in all runs are computed in kernels of their own if they cost more than
    reading a value: contractions, reductions, gathers, divisions and functions such as `exp`. They read no argument
    that differs between runs and no trained parameter. `--plan-partition` can then take these kernels out of the step.

    An `ein.loop` is a kernel of kind `loop`, which holds the kernels of its iterations. Its body is grouped like any
    other. Values that an iteration returns without computing them are copied, and so are operands that iterations could
    not read in place.

    A kernel's `by` names its implementation, which no later phase changes. Large contractions are computed by calls of
    BLIS (`contractions=blis`), by register tiles (`own`), or by the faster of both by the rates, BLIS if they are equal
    (`auto`). Contractions that neither can compute, and small ones, are computed by chains. The bits are the same.

    A kernel's predicted `ns` is the sum of the arithmetic of its equations, of the bytes of its operands, each once,
    and of the call. The rates are options, one for each row of Support/Rates.def: `ns-per-element` and so on, preset to
    those shipped for AVX-512. They are those of f32; f64 takes twice as long. Kernels that `profile` has measured,
    found by name and bytes, take their measured time.

    Before: `%e = ein.map exp(%x) ..; %s = ein.reduce sum(%e) .. order lanes; ein.return %s`. After:
    `%s = plan.call @f.0(%x); ein.return %s`.
  }];
  let options = [
    Option<"fusion", "fusion", "bool", "true", "group equations; else one to each kernel">,
    Option<"contractions", "contractions", "::plc::Contractions", "::plc::Contractions::automatic",
           "who computes large contractions: 'auto', 'blis' or 'own'">,
    Option<"prepare", "prepare", "bool", "false",
           "keep equations that are the same in all runs apart from the others, where they cost more than reading">,
    Option<"profile", "profile", "std::string", "",
           "log of a run with 'profiling = true': its kernels take what they took there">
  ];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

#endif
