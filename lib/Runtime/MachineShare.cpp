#include "plc/Runtime/MachineShare.h"

#include "plc/Runtime/Error.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sched.h>
#include <sstream>
#include <thread>
#include <vector>

namespace plc::runtime {

namespace {

/// The folders of the control groups that the process is in, innermost first: version 2, and version 1's of one
/// controller.
std::vector<std::string> controlGroups(const std::string &controller) {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) { // NUMBER:CONTROLLERS:PATH
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (!controllers.empty() && ("," + controllers + ",").find("," + controller + ",") == std::string::npos)
      continue;
    std::string root = "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + controllers);
    for (; path.size() > 1; path.resize(path.rfind('/')))
      folders.push_back(root + path);
    folders.push_back(root);
  }
  return folders;
}

std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// A number of bytes, or `otherwise` for `max` or a missing file.
int64_t bytesIn(const std::string &path, int64_t otherwise) {
  int64_t bytes = 0;
  return std::istringstream(firstLine(path)) >> bytes ? bytes : otherwise;
}

} // namespace

double quotaCpus(const std::string &cpuMax) {
  double quota = 0, period = 0;
  bool good = static_cast<bool>(std::istringstream(cpuMax) >> quota >> period) && quota > 0 && period > 0;
  return good ? quota / period : INFINITY;
}

double usableCpus() {
  double cpus = std::max(1u, std::thread::hardware_concurrency());
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    cpus = std::min<double>(cpus, CPU_COUNT(&set));
  for (const std::string &folder : controlGroups("cpu"))
    cpus =
        std::min({cpus, quotaCpus(firstLine(folder + "/cpu.max")),
                  quotaCpus(firstLine(folder + "/cpu.cfs_quota_us") + " " + firstLine(folder + "/cpu.cfs_period_us"))});
  return cpus;
}

int64_t availableBytes() {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (int64_t kilobytes = 0; line.starts_with("MemAvailable:") && std::istringstream(line.substr(13)) >> kilobytes)
      bytes = kilobytes * 1024;
  // The used bytes of a group include cached files, which the kernel evicts when memory is needed. So only its limit
  // counts.
  for (const std::string &folder : controlGroups("memory"))
    for (const char *limit : {"/memory.max", "/memory.limit_in_bytes"})
      bytes = std::min(bytes, bytesIn(folder + limit, bytes));
  return bytes;
}

void checkAvailable(const std::string &file, const std::string &what, int64_t bytes) {
  if (int64_t available = availableBytes(); bytes > available)
    throw fileError(file, what + " take " + std::to_string(bytes) + " bytes of memory, but " +
                              std::to_string(available) + " are available");
}

} // namespace plc::runtime
