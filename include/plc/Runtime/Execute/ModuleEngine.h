// Opens a compiled module as an Engine.
#ifndef PLC_RUNTIME_EXECUTE_MODULEENGINE_H
#define PLC_RUNTIME_EXECUTE_MODULEENGINE_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Support/Transports.h"

#include <functional>
#include <memory>
#include <optional>

namespace plc::module {
struct EntryPlan;
}

namespace plc::runtime {

class Module;
class Transport;

/// Seconds, some thirty years: in nanoseconds far below 2^63.
inline constexpr double longestHangTimeout = 1e9;

/// How a module runs. The defaults run it as it was compiled.
struct ModuleOptions {
  std::optional<int64_t> threadsPerStage; // instead of the module's own, or of the number that is chosen
  /// Runs everything twice: as it is, and with NaN in all bytes that the plan calls dead. Throws Error (exit code 1) if
  /// a result or gradient then has other bits.
  bool checkArena = false;
  /// Before the first run of an entry: runs it once for each value that the plan calls live when a rank's arena is
  /// fullest, with other bytes there. Throws Error (exit code 1) if no result then has other bits.
  bool checkLive = false;
  /// Stops with an Error (exit code 1) at the first kernel that writes a NaN, or an infinity that no rule of it speaks
  /// of.
  bool checkFinite = false;
  bool printWorkers = false; // prints a chosen number of workers to stderr with the first session
  bool shareKernels = true;  // idle workers compute chunks of other ranks' kernels; changes no bit
  bool trace = false;        // keeps events for writeTrace
  bool timeTasks = false;    // keeps times for lastRun
  /// Seconds, below longestHangTimeout, after which a rank without progress hangs (Watchdog.h): an Error (exit code 5).
  /// 0: never. A cycle of waits is an error at once. 30 is not tuned: long beside a kernel, short beside a job.
  double hangTimeout = 30;
  std::optional<TransportKind> transportKind; // instead of the module's own
  SettingTexts settings;                      // of the run (RunSettings.h)
  std::vector<std::string> keptSettings;      // keys that a run that goes on does not override (RunSettings::keep)
  /// Makes the transport of an entry's session instead of either. For a caller that carries messages itself.
  std::function<std::unique_ptr<Transport>(const module::EntryPlan &)> transport;
};

/// The settings of a run of a module with these options. Throws usageError.
RunSettings settingsOf(const Module &module, const ModuleOptions &options);

/// Loads a .plcm. Throws fileError.
std::unique_ptr<Engine> openModule(const std::string &file, const ModuleOptions &options = {});
/// Takes a module that is loaded already.
std::unique_ptr<Engine> openModule(std::unique_ptr<Module> module, const ModuleOptions &options);

} // namespace plc::runtime

#endif
