// Reads affinity, control groups and limits.
#include "plc/Runtime/Base/MachineShare.h"

#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sched.h>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace plc::runtime {

namespace {

/// The folders of the process's control groups, innermost first: those of version 2, and those of one controller of
/// version 1. Limits of all of them apply.
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

/// A number of bytes in a file; `otherwise` for `max` or a missing file.
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

/// The number of kB after a name, in a file like /proc/meminfo, in bytes; or `otherwise`.
static int64_t kilobytesOf(const char *path, std::string_view name, int64_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (int64_t kilobytes = 0; line.starts_with(name) && std::istringstream(line.substr(name.size())) >> kilobytes)
      return kilobytes * 1024;
  return otherwise;
}

int64_t residentBytes() { return kilobytesOf("/proc/self/status", "VmRSS:", 0); }
int64_t peakResidentBytes() { return kilobytesOf("/proc/self/status", "VmHWM:", 0); }

int64_t availableInGroup(const std::string &folder) {
  constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  int64_t limit =
      std::min(bytesIn(folder + "/memory.max", unlimited), bytesIn(folder + "/memory.limit_in_bytes", unlimited));
  if (limit == unlimited)
    return unlimited;
  int64_t used = bytesIn(folder + "/memory.current", bytesIn(folder + "/memory.usage_in_bytes", 0));
  // In version 1 plain names count the group's own pages, and `total_` names include the groups below it.
  std::map<std::string, int64_t> cached;
  std::ifstream statistics(folder + "/memory.stat");
  std::string name;
  for (int64_t bytes = 0; statistics >> name >> bytes;)
    cached[name] = bytes;
  std::string prefix = cached.contains("total_inactive_file") ? "total_" : "";
  used -= cached[prefix + "inactive_file"] + cached[prefix + "active_file"];
  return std::max<int64_t>(0, limit - std::max<int64_t>(0, used));
}

/// What a limit of the process leaves, given the name of its present use.
static int64_t leftOf(int resource, std::string_view usedNow) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - kilobytesOf("/proc/self/status", usedNow, 0));
}

int64_t availableBytes() {
  int64_t bytes = kilobytesOf("/proc/meminfo", "MemAvailable:", std::numeric_limits<int64_t>::max());
  bytes = std::min({bytes, leftOf(RLIMIT_AS, "VmSize:"), leftOf(RLIMIT_DATA, "VmData:")});
  for (const std::string &folder : controlGroups("memory"))
    bytes = std::min(bytes, availableInGroup(folder));
  return bytes;
}

void checkAvailable(const std::string &file, const std::string &what, int64_t bytes) {
  if (int64_t available = availableBytes(); bytes > available)
    throw Error(NoPlan, file,
                noPlanPrefix + what + " take " + std::to_string(bytes) + " bytes of memory, but " +
                    std::to_string(available) + " are available");
}

} // namespace plc::runtime
