//===- DivideUnits.cpp - cuts between kernels -----------------------------===//
#include "FlatProgram.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

constexpr int64_t none = -1, anywhere = std::numeric_limits<int64_t>::max();

// Makes each forward kernel call a unit, in program order, and guesses a unit for each call of B and W: simplification
// has mixed equations, so nothing says which forward call a gradient belongs to.
//   - The guess is the last forward call of the same instance that touches a forward value that the call reads.
//   - It is never behind the units whose gradients the call reads, so gradients only travel backward. Any guess is
//     legal.
//   - A W goes with a reader of its parameter, so that the parameter and its sites have one owner.
class Divider {
public:
  explicit Divider(FlatProgram &flat) : flat(flat), touching(flat.values.size()) {}

  void run() {
    std::vector<int64_t> before(flat.units.size(), none); // by old unit: its last new unit, or that of an earlier one
    for (FlatCall &call : flat.calls)
      if (call.role == Role::F) {
        int64_t old = call.unit;
        before[old] = addUnit(call);
        touch(call);
      }
    if (units.empty())
      return;
    for (size_t old = 0; old < before.size(); ++old)
      before[old] = std::max(before[old], old ? before[old - 1] : 0);
    for (FlatCall &call : flat.calls)
      if (call.role != Role::F)
        call.unit = homeOf(call, before[call.unit]);
    flat.units = std::move(units);
    flat.unitNoun = "kernel";
    flat.isDivided = true;
  }

private:
  int64_t addUnit(FlatCall &call) {
    std::string kernel = KernelOp(call.kernel).getSymName().str();
    units.push_back({call.path.getValue().str() + "/" + kernel, true});
    paths.push_back(call.path);
    call.unit = int64_t(units.size()) - 1;
    unitsOf[call.path].push_back(call.unit);
    return call.unit;
  }

  void touch(const FlatCall &call) {
    for (const auto *values : {&call.args, &call.results})
      for (int64_t value : *values) {
        touching[value].push_back(call.unit);
        if (flat.values[value].origin == FlatValue::Param)
          readersOf[flat.values[value].symbol()].push_back(call.unit);
      }
  }

  // The unit of a backward call: by parameter, else by the values it touches, else by its instance, else by its old
  // unit.
  int64_t homeOf(const FlatCall &call, int64_t before) {
    int64_t last = anywhere; // the latest unit that is legal
    for (int64_t value : call.args)
      if (int64_t maker = flat.values[value].call; maker >= 0 && flat.calls[maker].role != Role::F)
        last = std::min(last, flat.calls[maker].unit);
    int64_t home = none;
    for (int64_t value : call.args)
      if (flat.values[value].origin == FlatValue::Site)
        home = std::max(home, lastOf(readersOf[flat.values[value].symbol()], call.path, last));
    bool hasParameter = home != none;
    for (int64_t value : call.args)
      if (!hasParameter)
        home = std::max(home, lastOf(touching[value], call.path, last));
    if (home == none)
      home = lastOf(unitsOf[call.path], call.path, last);
    return home == none ? std::min(before, last) : home;
  }

  /// The last unit of an instance that is not behind `last`; `none` if there is none.
  int64_t lastOf(ArrayRef<int64_t> candidates, StringAttr path, int64_t last) {
    int64_t found = none;
    for (int64_t unit : candidates)
      if (unit <= last && paths[unit] == path)
        found = std::max(found, unit);
    return found;
  }

  FlatProgram &flat;
  std::vector<FlatProgram::Unit> units;
  std::vector<StringAttr> paths;              // of units
  std::vector<std::vector<int64_t>> touching; // units that make or read each value
  llvm::StringMap<std::vector<int64_t>> readersOf;
  DenseMap<StringAttr, std::vector<int64_t>> unitsOf;
};

} // namespace

void plc::plan::divideUnits(FlatProgram &flat) { Divider(flat).run(); }
