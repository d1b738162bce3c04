// Who is in which group of parameters.
#ifndef PLC_LIB_COMMANDS_GROUPS_H
#define PLC_LIB_COMMANDS_GROUPS_H

#include "plc/Runtime/Base/Engine.h"

namespace plc::runtime {

/// Parameters of a model that have the same settings.
struct GroupRow {
  std::string match; // of their group; empty: none
  std::string kind;  // of their optimizer; empty if there is one for all
  bool frozen = false;
  std::vector<std::string> paths;
  int64_t elements = 0;
  std::vector<std::pair<std::string, double>> values; // of keys of `[optimizer]` that differ between rows, and `lr`
};

/// Groups in their order, then parameters without one; parameters of a group with several rates in the order of these.
/// Empty if all parameters have the same settings.
std::vector<GroupRow> groupRows(const Engine &engine);

/// Prints the rows, if there are any.
void printGroups(const std::vector<GroupRow> &rows);

} // namespace plc::runtime

#endif
