//===- Passes.td - passes of the room Kernels -------------------------------===//
#ifndef PLC_KERNELS_PASSES
#define PLC_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

// A pass prints all digits of its rates: its pipeline as text is the same pipeline.
class Rate<string member, string flag, string ns, string of> : Option<member, flag, "::plc::ExactDouble", ns, of>;

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "group the equations of every body in kernels";
  let description = [{
    Before: `ein.func`s hold equations in f32 or f64 with binary contractions and an order for every sum. After: they
    hold `plan.call`s and `ein.return` only, and the module holds one `plan.kernel` per distinct group of equations: two
    groups with the same equations on the same types share one, so the number of kernels does not depend on the number
    of layers. The grouping is plain: a contraction alone; a `scatter_add` alone; a `chain` reduction with the maps
    that only it uses; and maps, casts, gathers and `lanes` reductions with the rows they share. Masks and constants
    are cloned into their users. No equation is changed, split or computed twice but those. Without `fusion` each
    other equation is a kernel of its own; the bits are the same.

    `by` of a kernel says who computes it, which no later phase changes. Contractions that are worth it are computed by
    calls of BLIS (`contractions=blis`), by our own tiles of registers (`own`), or by whichever takes less time by the
    rates, BLIS where they are equal (`auto`); what neither can compute, or what is too small, by chains. The bits are
    the same.

    A kernel's predicted `ns` is its arithmetic or its bytes, whichever takes longer, and the call. The rates are those of
    the options, in f32; f64 takes twice as long.

    Before: `%e = ein.map exp(%x) ..; %s = ein.reduce sum(%e) .. order lanes; ein.return %s`. After:
    `%s = plan.call @f.0(%x); ein.return %s`.
  }];
  let options = [
    Option<"fusion", "fusion", "bool", "true", "group equations; else one to each kernel">,
    Option<"contractions", "contractions", "::plc::Contractions", "::plc::Contractions::automatic",
           "who computes large contractions: 'auto', 'blis' or 'own'">,
    // Rounded from measurements on one thread of two AVX-512 machines, in f32.
    Rate<"nsPerContractFlop", "ns-per-contract-flop", "0.011", "of contractions by BLIS (90 GF, with strides)">,
    Rate<"nsPerTileFlop", "ns-per-tile-flop", "0.006", "of contractions by tiles (170 GF)">,
    Rate<"nsPerChainFlop", "ns-per-chain-flop", "0.04", "of contractions by chains, of 16 at once">,
    Rate<"nsPerReducedElement", "ns-per-reduced-element", "0.08", "one add per lane, latency bound">,
    Rate<"nsPerScatteredElement", "ns-per-scattered-element", "0.15", "of scatter_add">,
    Rate<"nsPerElement", "ns-per-element", "0.03", "of maps of no function named here, casts, gathers">,
    Rate<"nsPerExp", "ns-per-exp", "0.15", "of exp and sigmoid, per element">,
    Rate<"nsPerLog", "ns-per-log", "0.25", "of log, per element">,
    Rate<"nsPerTanh", "ns-per-tanh", "0.35", "of tanh, erf, log1p, sin, cos, tan; a third of pow, per element">,
    Rate<"nsPerDivide", "ns-per-divide", "0.15", "of div, sqrt and rsqrt, per element">,
    Rate<"nsPerByte", "ns-per-byte", "0.04", "read or written (25 GB/s, partly from cache)">,
    Rate<"nsPerCall", "ns-per-call", "300", "claimed, its operands' addresses gathered">
  ];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

#endif
