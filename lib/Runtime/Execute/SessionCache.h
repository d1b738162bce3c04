// The sessions of a module, one per entry, and their shared parameters.
#ifndef PLC_LIB_RUNTIME_EXECUTE_SESSIONCACHE_H
#define PLC_LIB_RUNTIME_EXECUTE_SESSIONCACHE_H

#include "HostParameters.h"
#include "Results.h"
#include "plc/Runtime/Base/Module.h"
#include "plc/Runtime/Execute/ModuleEngine.h"

namespace plc::runtime {

/// Makes a session when its entry first runs, and keeps it. Each run sees the parameters that were last written or
/// trained. These have one home at a time: the host's copy or, after a step or keepIn(), the arenas of one session, the
/// holder. A version number shows which sessions are outdated.
class SessionCache {
public:
  SessionCache(std::unique_ptr<Module> module, const ModuleOptions &options);
  ~SessionCache();
  SessionCache(const SessionCache &) = delete;

  const Manifest &manifest() const { return contents; }
  void setOptimizer(const OptimizerSettings &settings) { opened.setOptimizer(settings); }
  /// Workers of each rank of an entry. The options decide, else the module, else the environment, else chooseWorkers().
  int64_t threadsPerStage(size_t index) const;
  /// The processes that run the module together; nullptr: this one has all ranks.
  ProcessGroup *processes() const { return world; }

  /// Makes the session of an entry the holder of all parameters, moments and averages that are written from now on. So
  /// there is no second copy of those that it holds. Has no effect if ranks are in several processes. To be called
  /// before parameters have values.
  void keepIn(size_t index);

  /// Whole tensors, by index of the parameter; `which` counts moments from 1. Reading is collective if the holder's
  /// ranks are in several processes.
  void readValue(size_t index, void *out);
  void readMoment(size_t index, int which, void *out);
  void writeValue(size_t index, const void *data);
  void writeMoment(size_t index, int which, const void *data);
  void clearMoments(size_t index);
  void readAverage(size_t index, void *out);
  void writeAverage(size_t index, const void *data);
  void useAverages(bool uses) { usesAverages = uses; }
  /// Afterwards all processes have the first one's parameters. Collective.
  void share();
  /// Brings parameters to the host if only several processes together have them. Afterwards each reads them alone.
  /// Collective.
  void gather();

  /// Runs the entry `index` of the manifest; step 0 leaves the parameters as they are. After an error the session is
  /// gone. The parameters are then those of before the run, unless the holder's ranks are in several processes or had
  /// begun to update: then they are the host's, which were last written or gathered.
  Session &run(size_t index, const TrainingStep &step, const std::vector<Bytes> &inputs);

  /// Session::findNonFinite of an entry; errors as of run().
  std::optional<NonFiniteValue> findNonFinite(size_t index, const std::vector<Bytes> &inputs);

  /// The session of an entry with the present parameters; made if there is none.
  Session &ready(size_t index);
  /// Bytes that this process takes to run an entry, and to load and save.
  module::ProcessMemory processMemory(size_t index) const;

  /// The session of an entry; nullptr if there is none yet.
  Session *find(size_t index) const { return loaded[index].session.get(); }
  bool hasRun(size_t index) const { return loaded[index].hasRun; }
  /// Subtracted from allocatedBytes(): the rest is the session's and its runs'. Allocations between the making of a
  /// session and its first run are left out.
  int64_t allocatedBefore(size_t index) const { return loaded[index].allocatedBefore; }

private:
  struct Loaded {
    std::unique_ptr<Session> session;
    uint64_t version = 0;     // of the parameters in its arenas
    bool hasAverages = false; // in their place
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
  ParameterTensor sourceOf(ParameterTensor tensor, size_t index) const;
  void fill(const EntryTensors &tensors, bool averages) const;
  bool readHeld(ParameterTensor tensor, size_t index, void *out);
  bool writeHeld(ParameterTensor tensor, size_t index, const void *data);
  void toHost();

  std::unique_ptr<Module> module;
  const std::string file;
  Module &opened;           // the same; discard() may have to leak it
  const Manifest &contents; // of the module
  ModuleOptions options;
  TransportKind transport;
  ProcessGroup *world;
  std::optional<int64_t> threads;      // none: chosen for each entry
  bool printsWorkers;                  // at the making of the first session
  mutable std::vector<int64_t> chosen; // by entry; 0: not yet
  std::vector<Loaded> loaded;          // by entry
  HostParameters host;                 // what the holder does not hold
  Session *holder = nullptr;           // its arenas have the present parameters; null: the host has them
  bool usesAverages = false;           // entries that do not train
  bool keeps = false;                  // writes go to the holder too (keepIn)
  uint64_t version = 1;                // of the present parameters
};

} // namespace plc::runtime

#endif
