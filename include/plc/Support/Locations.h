//===- Locations.h - where an equation was written -----------------*- C++ -*-===//
#ifndef PLC_SUPPORT_LOCATIONS_H
#define PLC_SUPPORT_LOCATIONS_H

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace plc {

/// `FILE:LINE:COL` of the user's line, then of the lines in called functions (a rule of `std`, for example). Empty
/// without a file.
inline std::vector<std::string> locationsOf(mlir::Location location) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    std::vector<std::string> locations = locationsOf(call.getCaller());
    for (std::string &inside : locationsOf(call.getCallee()))
      locations.push_back(std::move(inside));
    return locations;
  }
  auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file)
    return {};
  return {
      (file.getFilename().strref() + ":" + llvm::Twine(file.getLine()) + ":" + llvm::Twine(file.getColumn())).str()};
}

} // namespace plc

#endif
