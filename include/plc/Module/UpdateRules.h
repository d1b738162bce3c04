//===- UpdateRules.h - the compiled rules of an optimizer -------*- C++ -*-===//
#ifndef PLC_MODULE_UPDATERULES_H
#define PLC_MODULE_UPDATERULES_H

#include "plc/Module/OptimizerSettings.h"

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
  std::vector<int64_t> shape; // of the parameter; empty: the program works on a block, or on numbers
  std::vector<std::string> inputs, results;
  int64_t scratchBytes = 0;
  bool inPlace = false; // a result may have the memory of an input
  std::vector<UpdateCall> calls;
};

/// The rules of a form of an optimizer. An input of `tensors` has the name of the parameter, of its gradient, of a
/// state or of a scalar: `rate`, `step`, a setting, `powerName` of one, or a result of `scalars`.
struct UpdateRules {
  UpdateProgram scalars;              // numbers in f64, once for a step
  std::vector<UpdateProgram> tensors; // in the parameter's type, to which scalars are rounded: one on `updateBlock`
                                      // elements, or one for each shape of a parameter

  /// The program for parameters of a shape; null if there is none.
  const UpdateProgram *find(const std::vector<int64_t> &shape) const {
    for (const UpdateProgram &program : tensors)
      if (program.shape.empty() || program.shape == shape)
        return &program;
    return nullptr;
  }
};

/// Where the update of a whole parameter has what it needs beside the parameter and its states: offsets from an address
/// that is aligned to 64 bytes.
struct UpdateLayout {
  int64_t gradient = 0; // as the rules see it
  int64_t value = 0;    // of a parameter in shards: put together, as its states are
  std::vector<int64_t> states;
  std::vector<int64_t> results; // in the order of the program; they are copied once all are computed
  int64_t scratch = 0;
  int64_t bytes = 0; // of all
};
/// Elements of a result of a program on a whole parameter.
int64_t elementsOf(const UpdateProgram &program, const OptimizerForm &form, size_t result);
UpdateLayout layoutOf(const UpdateProgram &program, const OptimizerForm &form, int64_t bytesOfElement, bool inShards);

} // namespace plc::module

#endif
