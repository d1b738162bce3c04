//===- Steps.h - equal steps as a loop --------------------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_STEPS_H
#define PLC_LIB_IMPORT_TEXT_STEPS_H

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plc::import {

/// The size's name and its extent, of each axis of a tensor.
using Extents = std::vector<std::pair<std::string, int64_t>>;

/// What the rules of a layer know of tensors and sizes.
struct StepSizes {
  std::function<Extents(const std::string &)> extentsOf;                // of a name
  std::function<void(const std::string &, const std::string &)> equate; // two sizes count the same iterations
};

/// Replaces rules that are repeated for the next element of a sequence, each
/// with what the last one gave, by a `repeat`: as loops over time that an
/// export has unrolled. Rules are lines without indentation; `kept` are the
/// names of results.
void rollSteps(std::vector<std::string> &lines, const StepSizes &sizes, const std::set<std::string> &kept);

} // namespace plc::import

#endif
