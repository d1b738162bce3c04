//===- Manifest.h - what a compiled module says about itself ----*- C++ -*-===//
#ifndef PLC_MODULE_MANIFEST_H
#define PLC_MODULE_MANIFEST_H

#include "plc/Module/ActionTable.h"
#include "plc/Module/OptimizerSettings.h"
#include "plc/Module/Turns.h"
#include "plc/Runtime/KernelABI.h"
#include "plc/Support/Rates.h"
#include "plc/Support/Transports.h"

#include <optional>
#include <stdexcept>

namespace plc::module {

struct GatherInfo {
  std::vector<std::string> where; // FILE:LINE:COL of the user's line, then of what it calls
  int64_t extent;                 // valid indices are 0 .. extent-1
};

/// An operand of a kernel that is of a real type.
struct RealOperand {
  int64_t operand; // its place among a call's operands
  ElementType type;
  int64_t elements;
};

struct KernelInfo {
  std::string name, symbol;
  std::vector<std::string> where; // of its main equation, as in GatherInfo
  int64_t chunks, flops, bytes;
  int64_t ns; // predicted of a call, on one thread
  std::vector<GatherInfo> gathers;
  std::vector<RealOperand> inputs, results;
  bool infinite;                    // a result may be: a rule says `inf`
  std::optional<LoopInfo> loop;     // it has no code, but calls kernels before it
  plc_kernel_fn function = nullptr; // resolved when the module is loaded
};

struct Manifest {
  std::string model, source, numericsKey;
  std::string planJson; // of the first entry, see PlanSummary.h; kept as text
  ElementType real;
  int64_t threadsPerStage, codeBytes;
  TransportKind transport = TransportKind::Threads; // unless a run says otherwise
  bool profiling = false;                           // time every call
  std::vector<std::string> targetFeatures;
  OptimizerSettings optimizer;
  PerRate rates;                         // by which times were predicted
  std::vector<ParameterInfo> held;       // as programs have them: parts of some (Parts.h)
  std::vector<ParameterInfo> parameters; // wholes, as who reads and writes them sees them
  std::vector<KernelInfo> kernels;
  std::vector<EntryPlan> entries;
};

/// Predicted time of a step on so many bytes (ActionTable.h, `updatedBytes`).
inline int64_t updateNs(const Manifest &manifest, int64_t bytes) {
  return static_cast<int64_t>(static_cast<double>(bytes) * manifest.rates[Rate::updatedByte]);
}

/// The manifest as JSON, which docs/module.md describes. The plan must be JSON.
std::string writeManifest(const Manifest &manifest);

/// A manifest that is not one: where in it, and what is wrong there.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads what was written. Every number is within the bounds that its own field or table gives it; what needs the sense
/// of more than one table is not checked. Throws FormatError.
Manifest readManifest(std::string_view text);

} // namespace plc::module

#endif
