//===- Passes.td - passes of the room Kernels -------------------------------===//
#ifndef PLC_KERNELS_PASSES
#define PLC_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "group the equations of every body in kernels";
  let description = [{
    Before: `ein.func`s hold equations in f32 or f64 with binary contractions and an order for every sum. After: they
    hold `plan.call`s and `ein.return` only, and the module holds one `plan.kernel` per distinct group of equations: two
    groups with the same equations on the same types share one, so the number of kernels does not depend on the number
    of layers. The grouping is plain: a contraction with the gather that it reads in place, if a table shows a
    matrix for each position; a `scatter_add` with the copy or product that it adds, if that repeats what is smaller; a
    `chain` reduction with the maps and gathers that only it uses; and maps, casts, gathers and `lanes` reductions with
    the rows they share. Masks, constants and gathers that are read in place are cloned into their users. No equation is
    changed, split or computed twice but those. Without `fusion` each
    other equation is a kernel of its own; the bits are the same.

    With `prepare`, equations that read no argument which differs between runs, and no parameter that is trained, are
    computed in kernels of their own where they cost more than reading a value (contractions, reductions, gathers,
    divisions and functions such as `exp`): `--plan-partition` can then take these out of the step.

    An `ein.loop` is a kernel of kind `loop`, which holds the kernels of its turns: what its body computes is grouped like
    any other. What a turn gives without making it is copied, and so are operands that turns could not read where they lie.

    `by` of a kernel says who computes it, which no later phase changes. Contractions that are worth it are computed by
    calls of BLIS (`contractions=blis`), by our own tiles of registers (`own`), or by whichever takes less time by the
    rates, BLIS where they are equal (`auto`); what neither can compute, or what is too small, by chains. The bits are
    the same.

    A kernel's predicted `ns` is what the arithmetic of its equations takes, each by what it is, and the bytes of its
    operands once, and the call. The rates, in f32 (f64 takes twice as long), are options, one for each row of
    Support/Rates.def: `ns-per-element` and so on, preset to those that are shipped for AVX-512. Kernels
    that `profile` has measured, by their names and bytes, take what they took there.

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
