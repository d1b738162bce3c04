// Parses /proc/PID/stat.
#include "ProcessState.h"

#include <fstream>
#include <string>

namespace plc::runtime {

std::optional<char> stateOfProcess(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  // The name of a program may have spaces and parentheses, so from the end.
  size_t name = text.rfind(") ");
  return name == std::string::npos || name + 2 >= text.size() ? std::nullopt : std::optional(text[name + 2]);
}

bool isAlive(int64_t pid) {
  std::optional<char> state = stateOfProcess(pid);
  return state && *state != 'Z' && *state != 'X';
}

} // namespace plc::runtime
