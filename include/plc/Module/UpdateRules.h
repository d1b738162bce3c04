//===- UpdateRules.h - the compiled rules of an optimizer -------*- C++ -*-===//
#ifndef PLC_MODULE_UPDATERULES_H
#define PLC_MODULE_UPDATERULES_H

#include <cstdint>
#include <string>
#include <vector>

namespace plc::module {

/// A call of a kernel. Operands are its inputs, then its results.
struct UpdateCall {
  int64_t kernel;                // in the module
  std::vector<int64_t> operands; // >= 0: offset in the program's scratch memory; < 0: port -(k + 1)
};

/// A program without loops or messages: calls in order. Its ports are its inputs, then its results. Those that no call
/// uses are left out.
struct UpdateProgram {
  std::vector<std::string> inputs, results;
  int64_t scratchBytes = 0;
  bool inPlace = false; // a result may have the memory of an input
  std::vector<UpdateCall> calls;
};

/// The rules of an optimizer. An input of `elements` has the name of the parameter, of its gradient, of a state or of a
/// scalar: `rate`, `step`, a setting, `powerName` of one, or a result of `scalars`.
struct UpdateRules {
  std::string parameter, gradient;
  UpdateProgram scalars;  // numbers in f64, once for a step
  UpdateProgram elements; // `updateBlock` elements in the parameter's type; scalars are rounded to it

  /// Whether there are rules: a module that trains has some.
  bool any() const { return !elements.calls.empty(); }
};

} // namespace plc::module

#endif
