//===- Explain.cpp - why a plan is as it is ---------------------------------===//
#include "plc/Planning/Explain.h"

#include "ExplainStep.h"

#include "plc/Support/Places.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

std::string plc::plan::lineOf(Location location) {
  std::vector<std::string> places = placesOf(location);
  return places.empty() ? "" : StringRef(places.front()).rsplit(':').first.str();
}

void plc::plan::explain(ProgramOp program, int64_t columns, int64_t limitBytes, llvm::raw_ostream &out) {
  RouteTable routes(program);
  TaskSlots slots(program, routes);
  explainStep(program, routes, columns, out);
  explainMemory(program, slots, limitBytes, out);
}
