//===- PlanSpec.cpp - a plan as plain data --------------------------------===//
#include "plc/Search/PlanSpec.h"

#include <algorithm>

using namespace plc::search;

int32_t PlanSpec::ranks() const { return rankOf.empty() ? 1 : *std::max_element(rankOf.begin(), rankOf.end()) + 1; }

bool PlanSpec::recomputes() const {
  return std::any_of(recompute.begin(), recompute.end(), [](Recompute each) { return each != Recompute::no; });
}
