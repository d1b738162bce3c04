// The sessions of a module, one per entry, and the parameters that they share.
#ifndef PLC_LIB_RUNTIME_EXECUTE_SESSIONCACHE_H
#define PLC_LIB_RUNTIME_EXECUTE_SESSIONCACHE_H

#include "HostParameters.h"
#include "Results.h"
#include "plc/Runtime/Base/Module.h"
#include "plc/Runtime/Execute/ModuleEngine.h"

namespace plc::runtime {

/// Makes a session when its entry first runs, and keeps it. Each run sees the parameters that were last written or
/// trained. They are in the host's copy or, after a step or `keepIn`, in the arenas of a session.
class SessionCache {
public:
  SessionCache(std::unique_ptr<Module> module, const ModuleOptions &options);
  ~SessionCache();
  SessionCache(const SessionCache &) = delete;

  const Manifest &manifest() const { return contents; }
  /// Workers of each rank of an entry: as many as the run, the module or the environment says, else as pay here.
  int64_t threadsPerStage(size_t index) const;
  /// The processes that run the module together, or nullptr: this one has all ranks.
  ProcessGroup *processes() const { return world; }

  /// Lets the arenas of an entry have the parameters and moments that are written from now on, and nothing else a copy of those that it
  /// holds. Only where all of its ranks are in this process: else nothing changes. Before parameters have values.
  void keepIn(size_t index);

  void readValue(size_t index, void *out);
  void readMoment(size_t index, int which, void *out);
  void writeValue(size_t index, const void *data);
  void writeMoment(size_t index, int which, const void *data);
  void clearMoments(size_t index);
  /// The first process's parameters are everybody's afterwards. Collective.
  void share();
  /// Afterwards they are read without other processes. Collective.
  void gather();

  /// Runs the entry `index` of the manifest; step 0 leaves the parameters as they are. After an error the session is gone, and the
  /// parameters are those of before the run; but if ranks in several processes, or some that had updated theirs already, had them, those
  /// of the host, which were last written or gathered.
  Session &run(size_t index, const TrainingStep &step, const std::vector<Bytes> &inputs);

  /// Such a run, by Session::findNonFinite.
  std::optional<NonFiniteValue> findNonFinite(size_t index, const std::vector<Bytes> &inputs);

  /// The session of an entry, made if there is none, with the present parameters.
  Session &ready(size_t index);
  /// What this process takes to run an entry, and to load and save.
  module::ProcessMemory processMemory(size_t index) const;

  /// The session of an entry, or nullptr.
  Session *find(size_t index) const { return loaded[index].session.get(); }
  bool hasRun(size_t index) const { return loaded[index].hasRun; }
  /// What malloc has given out beyond this is the session's, and that of its runs.
  int64_t allocatedBefore(size_t index) const { return loaded[index].allocatedBefore; }

private:
  struct Loaded {
    std::unique_ptr<Session> session;
    uint64_t version = 0; // of the parameters it holds
    bool checkedLive = false, hasRun = false;
    int64_t allocatedBefore = 0;
  };
  bool trains(size_t index) const { return manifest().entries[index].trains(); }
  std::unique_ptr<Transport> connect(size_t index) const;
  std::unique_ptr<Session> make(size_t index, std::unique_ptr<Transport> transport) const;
  std::vector<size_t> localRanks(size_t index) const;
  void printWorkers(size_t index) const;
  void discard(Loaded &entry);
  void discardAfterError(size_t index);
  void fill(const EntryTensors &tensors) const;
  bool readHeld(StaticKind kind, size_t index, void *out);
  bool writeHeld(StaticKind kind, size_t index, const void *data);
  void toHost();

  std::unique_ptr<Module> module;
  const std::string file;
  const Manifest &contents; // of the module, which may have to stay when this goes
  ModuleOptions options;
  TransportKind transport;
  ProcessGroup *world;
  std::optional<int64_t> threads;      // none: they are chosen for each entry
  bool printsWorkers;                  // when the first session is made
  mutable std::vector<int64_t> chosen; // by entry; 0: not yet
  std::vector<Loaded> loaded;          // by entry
  HostParameters host;                 // has what the holder does not hold
  Session *holder = nullptr;           // whose arenas have the present parameters; null: the host has them
  bool keeps = false;                  // the holder has those that are written, too
  uint64_t version = 1;                // of the present parameters
};

} // namespace plc::runtime

#endif
