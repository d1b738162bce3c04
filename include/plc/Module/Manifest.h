//===- Manifest.h - what a compiled module says about itself ----*- C++ -*-===//
#ifndef PLC_MODULE_MANIFEST_H
#define PLC_MODULE_MANIFEST_H

#include "plc/Module/ActionTable.h"
#include "plc/Module/OptimizerSettings.h"
#include "plc/Module/Iterations.h"
#include "plc/Module/UpdateRules.h"
#include "plc/Runtime/KernelABI.h"
#include "plc/Support/Rates.h"
#include "plc/Support/Transports.h"

#include <optional>
#include <stdexcept>

namespace plc::module {

/// A checked gather of a kernel. Its number is what a fault reports (KernelABI.h).
struct GatherInfo {
  std::vector<std::string> where; // FILE:LINE:COL of the user's line, then of what it calls
  int64_t extent;                 // valid indices are 0 .. extent-1
};

/// An operand of a kernel with elements of a real type.
struct RealOperand {
  int64_t operand; // index among a call's operands
  ElementType type;
  int64_t elements;
};

/// A kernel of the module. Calls have the order of its operands.
struct KernelInfo {
  std::string name, symbol;
  std::vector<std::string> where; // of its main equation, as in GatherInfo
  int64_t chunks, flops, bytes;
  int64_t ns; // predicted nanoseconds of a call on one thread
  std::vector<GatherInfo> gathers;
  std::vector<RealOperand> inputs, results;
  bool infinite;                    // a result may be infinite: a rule says `inf`
  std::optional<LoopInfo> loop;     // instead of code: it calls kernels before it in the list
  plc_kernel_fn function = nullptr; // resolved when the module is loaded
};

/// All that a module stores beside code (docs/module.md).
struct Manifest {
  std::string model, source, numericsKey;
  std::string planJson; // of the first entry (PlanSummary.h); kept as text
  ElementType real;
  int64_t threadsPerStage, codeBytes;
  TransportKind transport = TransportKind::Threads; // unless a run says otherwise
  bool profiling = false;                           // time every call
  std::vector<std::string> targetFeatures;
  OptimizerSettings optimizer;
  std::vector<UpdateRules> updates;      // by form of that optimizer, if an entry trains
  PerRate rates;                         // by which times were predicted
  std::vector<ParameterInfo> held;       // as programs have them: shards of some (ParameterShards.h)
  std::vector<ParameterInfo> parameters; // whole, as users see them
  std::vector<KernelInfo> kernels;
  std::vector<EntryPlan> entries;
};

/// Predicted nanoseconds of an optimizer step on so many bytes (`updatedBytes`).
inline int64_t updateNs(const Manifest &manifest, int64_t bytes) {
  return static_cast<int64_t>(static_cast<double>(bytes) * manifest.rates[Rate::updatedByte]);
}

/// The manifest as JSON, as docs/module.md describes it. `planJson` must be JSON.
std::string writeManifest(const Manifest &manifest);

/// Text that is no valid manifest: where in it, and what is wrong there.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a manifest. Every number is within the bounds of its own field or table. Checks across tables are the
/// runtime's (ManifestChecks.h). Throws FormatError.
Manifest readManifest(std::string_view text);

} // namespace plc::module

#endif
