//===- Places.h - where an equation was written -----------------*- C++ -*-===//
#ifndef PLC_SUPPORT_PLACES_H
#define PLC_SUPPORT_PLACES_H

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace plc {

/// `FILE:LINE:COL` of the user's line, then of the lines in called functions (a rule of `std`, for example). Empty
/// without a file.
inline std::vector<std::string> placesOf(mlir::Location location) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    std::vector<std::string> places = placesOf(call.getCaller());
    for (std::string &inside : placesOf(call.getCallee()))
      places.push_back(std::move(inside));
    return places;
  }
  auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file)
    return {};
  return {
      (file.getFilename().strref() + ":" + llvm::Twine(file.getLine()) + ":" + llvm::Twine(file.getColumn())).str()};
}

} // namespace plc

#endif
