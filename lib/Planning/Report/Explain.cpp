//===- Explain.cpp - why a plan is as it is -------------------------------===//
#include "ExplainStep.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Support/Locations.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

std::string plc::plan::lineOf(Location location) {
  std::vector<std::string> locations = locationsOf(location);
  return locations.empty() ? "" : StringRef(locations.front()).rsplit(':').first.str();
}

Explanation plc::plan::explain(ProgramOp program, int64_t limitBytes) {
  RouteTable routes(program);
  TaskSlots slots(program, routes);
  Explanation explanation;
  explanation.limitBytes = limitBytes;
  explainCuts(program, routes, explanation);
  explainStep(program, routes, explanation);
  explainMemory(program, slots, explanation);
  return explanation;
}
