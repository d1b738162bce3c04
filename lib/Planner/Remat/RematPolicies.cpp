//===- RematPolicies.cpp - the table of policies of recomputation ---------===//
#include "plc/Planner/Remat/RematPolicies.h"

using namespace plc;
using namespace plc::planner;

std::span<const RematPolicyRow> Choice<RematPolicy>::rows() {
  static constexpr RematPolicyRow table[] = {
#define REMAT_POLICY(ENUMERATOR, NAME, FUNCTION, FIELDS) {NAME, choose##FUNCTION, FIELDS},
#include "plc/Planner/Remat/RematPolicies.def"
  };
  return table;
}

Status plc::planner::chooseSegments(const RematMode &mode, RematProblem &problem) {
  if (Status fault = problem.check())
    return fault;
  return rowOf(mode.policy).choose(mode, problem);
}
