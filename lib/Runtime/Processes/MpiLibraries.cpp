// Finds MPI jobs, launchers and plug-ins.
#include "plc/Runtime/Processes/MpiLibraries.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace plc::runtime {

namespace {

/// A number in the environment; nullopt if there is none from 0.
std::optional<int64_t> numberIn(const char *variable) {
  const char *text = std::getenv(variable);
  if (!text)
    return std::nullopt;
  int64_t number = 0;
  const char *end = text + std::strlen(text);
  auto [last, error] = std::from_chars(text, end, number);
  return error == std::errc() && last == end && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Environment variables by which a starter gives a process its number and their count. Open MPI's mpirun; any starter
/// that speaks PMIx (srun --mpi=pmix), which Open MPI does; any that speaks PMI (MPICH's mpirun, srun --mpi=pmi2).
struct Starter {
  MpiLibrary library;
  const char *process, *count; // no count: the starter does not give it
};
constexpr Starter starters[] = {{MpiLibrary::OpenMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                {MpiLibrary::OpenMpi, "PMIX_RANK", nullptr},
                                {MpiLibrary::Mpich, "PMI_RANK", "PMI_SIZE"}};

/// The folder of the program or shared library that this code is in.
fs::path ownFolder() {
  Dl_info info;
  link_map *map = nullptr;
  // By dladdr1, not argv: in libplcrt this is the folder of the library.
  const auto *code = reinterpret_cast<const void *>(&ownFolder);
  bool found = ::dladdr1(code, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) != 0;
  std::error_code ignored;
  fs::path file = found && map && *map->l_name ? fs::path(map->l_name) : fs::read_symlink("/proc/self/exe", ignored);
  return fs::absolute(file, ignored).parent_path();
}

/// The path of a program, as a shell finds it.
std::optional<std::string> findProgram(const std::string &name) {
  const char *path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (size_t begin = 0; begin <= folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    std::string file = folders.substr(begin, end - begin) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0)
      return file;
    begin = end + 1;
  }
  return std::nullopt;
}

/// Whether a program is the mpirun of that library, by its `--version`.
bool isLauncherOf(const std::string &program, const MpiLibraryRow &row) {
  FILE *told = ::popen(("'" + program + "' --version 2>/dev/null").c_str(), "r");
  if (!told)
    return false;
  char text[4096];
  size_t size = std::fread(text, 1, sizeof(text), told);
  ::pclose(told);
  return std::string_view(text, size).find(row.identifies) != std::string_view::npos;
}

} // namespace

std::optional<MpiJob> findMpiJob() {
  for (const Starter &starter : starters)
    if (std::optional<int64_t> process = numberIn(starter.process))
      return MpiJob{starter.library, process, starter.count ? numberIn(starter.count) : std::nullopt};
  return std::nullopt;
}

/// MPI_Abort does the same, but MPI would have to be initialised, for which all processes have to come. So this writes
/// the command of PMI by hand.
void endMpiJob(int exitCode) {
  std::optional<MpiJob> job = findMpiJob();
  std::optional<int64_t> starter = numberIn("PMI_FD");
  if (!job || job->library != MpiLibrary::Mpich || job->count.value_or(1) == 1 || !starter)
    return;
  // mpirun must pass on the error message before it ends all.
  std::this_thread::sleep_for(mpiPassing);
  writeAll(static_cast<int>(*starter), "cmd=abort exitcode=" + std::to_string(exitCode) + "\n");
}

std::string pluginOf(MpiLibrary library) {
  std::string name = std::string("libplc-") + nameOfChoice(library) + ".so";
  // Beside the program or library; where it is installed; in the folder of a build.
  fs::path own = ownFolder(), beside = own / name;
  if (fs::exists(beside))
    return beside;
  fs::path installed = own / ".." / PLC_LIBRARY_FOLDER / name;
  return (fs::exists(installed) ? installed : own.parent_path() / "lib" / name).lexically_normal();
}

std::string remedyForPlugin(MpiLibrary library) {
  const MpiLibraryRow &row = rowOf(library);
  return std::string("install the package plc-") + row.name + ", or Debian's package " + row.package +
         " and build again";
}

std::optional<std::string> launcherOf(MpiLibrary library) {
  if (auto found = findProgram(rowOf(library).launcher))
    return found;
  // Debian names launchers by library; elsewhere mpirun may be of either.
  auto plain = findProgram("mpirun");
  return plain && isLauncherOf(*plain, rowOf(library)) ? plain : std::nullopt;
}

MpiLibrary chooseLauncher(const std::optional<MpiLibrary> &asked) {
  // Without a request the first library that is complete; the error lists what each one lacks.
  std::string missing;
  for (size_t i = 0; i < Choice<MpiLibrary>::rows().size(); ++i) {
    auto library = MpiLibrary(i);
    const MpiLibraryRow &row = rowOf(library);
    if (asked.value_or(library) != library)
      continue;
    bool plugin = std::filesystem::exists(pluginOf(library));
    if (plugin && launcherOf(library))
      return library;
    missing += (missing.empty() ? "" : "; ") + std::string(row.title) +
               (plugin ? " has no '" + std::string(row.launcher) + "' here: install Debian's package " + row.programs
                       : " has no plug-in '" + pluginOf(library) + "': " + remedyForPlugin(library));
  }
  throw usageError("processes need MPI: " + missing);
}

} // namespace plc::runtime
