// Joins, leaves and talks to the processes of an MPI job.
#include "MpiWorld.h"

#include "plc/Runtime/Base/Backoff.h"
#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace plc::runtime {

namespace {

/// The library whose job this process is in, else the first that has a plug-in.
MpiLibrary chooseLibrary() {
  if (std::optional<MpiJob> job = findMpiJob())
    return job->library;
  for (size_t i = 0; i < Choice<MpiLibrary>::rows().size(); ++i)
    if (std::filesystem::exists(pluginOf(MpiLibrary(i))))
      return MpiLibrary(i);
  return MpiLibrary(0);
}

/// The time that all processes have to leave a collective call, see finish(). Not tuned: long beside one message.
constexpr auto leaving = std::chrono::milliseconds(300);
/// MPI counts in int.
constexpr size_t largestCall = size_t(1) << 30; // bytes

} // namespace

ProcessGroup *joinMpiWorld() { return &MpiWorld::join(); }

MpiWorld &MpiWorld::join() {
  // A static local is initialised once, also if several threads come here.
  static MpiWorld *world = [] {
    std::unique_ptr<MpiWorld> made(new MpiWorld());
    MpiWorld *joined = made.get();
    enter(std::move(made));
    return joined;
  }();
  return *world;
}

MpiWorld::MpiWorld() {
  load(chooseLibrary());
  int process = 0, count = 1, tag = 0;
  call("MPI_Init_thread", table->initialize, &process, &count, &world);
  number = process;
  processes = count;
  call("MPI_Comm_get_attr", table->largestTag, &tag);
  tagLimit = tag;
  findNeighbours();
}

void MpiWorld::load(MpiLibrary library) {
  const MpiLibraryRow &row = rowOf(library);
  std::string file = pluginOf(library);
  if (!std::filesystem::exists(file))
    throw usageError(std::string("no plug-in for ") + row.title + ", found none at '" + file +
                     "': " + remedyForPlugin(library));
  // Never closed: MPI may have threads and exit handlers in it.
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw fileError(file,
                    std::string("cannot be loaded: ") + ::dlerror() + "; install Debian's package " + row.programs);
  table = static_cast<const plc_mpi_plugin_table *>(::dlsym(handle, "plc_mpi_plugin"));
  if (!table || table->version != PLC_MPI_VERSION)
    throw fileError(file, "is no plug-in of version " + std::to_string(PLC_MPI_VERSION));
}

void MpiWorld::check(const char *name, int code) const {
  if (code)
    throw Error(PeerLost, "", std::string(name) + " failed: " + table->error(code));
}

bool MpiWorld::test(plc_mpi_handle &request) {
  int over = 0;
  call("MPI_Test", table->test, &request, &over);
  return over;
}

void MpiWorld::wait(plc_mpi_handle &request) {
  for (Backoff backoff; !test(request);)
    backoff.sleep();
}

void MpiWorld::broadcast(int64_t root, void *data, size_t bytes) {
  if (processes == 1)
    return;
  auto *next = static_cast<std::byte *>(data);
  for (size_t left = bytes; left > 0;) {
    size_t some = std::min(left, largestCall);
    plc_mpi_handle request{};
    // Nonblocking, also where it is waited for: a blocking call would spin on a core and hold the lock.
    call("MPI_Ibcast", table->broadcast, world, next, static_cast<int>(some), static_cast<int>(root), &request);
    wait(request);
    next += some;
    left -= some;
  }
}

void MpiWorld::gather(const void *data, void *all, int bytes) {
  plc_mpi_handle request{};
  call("MPI_Iallgather", table->gather, world, data, all, bytes, &request);
  wait(request);
}

void MpiWorld::finish() {
  // MPICH before 4.2 never ends a connection whose other end it has seen closed, and this other process waits for it
  // (https://github.com/pmodels/mpich/pull/6596). So no process closes before the others have seen the last message.
  // Only connections between machines are concerned.
  if (std::any_of(hosts.begin(), hosts.end(), [&](const std::string &host) { return host != hosts[0]; })) {
    gather(int64_t(0));
    std::this_thread::sleep_for(leaving);
  }
  call("MPI_Finalize", table->finalize);
}

void MpiWorld::abort(int exitCode) noexcept {
  // mpirun must pass on the error message before it ends all.
  std::this_thread::sleep_for(mpiPassing);
  table->abort(exitCode);
}

} // namespace plc::runtime
