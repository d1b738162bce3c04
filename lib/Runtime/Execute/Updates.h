// The optimizer's updates of one rank's parameters.
#ifndef PLC_LIB_RUNTIME_EXECUTE_UPDATES_H
#define PLC_LIB_RUNTIME_EXECUTE_UPDATES_H

#include "Arena.h"
#include "Workers.h"
#include "plc/Runtime/Base/ManifestChecks.h"

#include <map>

namespace plc::runtime {

/// Reads the gradients of the parameters that a rank owns, and updates the trained ones, all in place in the rank's
/// arena.
class Updates {
public:
  Updates(const Manifest &manifest, const RankInfo &plan, const Arena &arena);

  /// The gradient of a parameter: its sites in order, lane by lane. Leaves `out` alone if it is not here.
  void sumSites(const std::string &parameter, void *out) const;

  /// Computes squares() alone. False if the run was stopped.
  bool measure(Workers &workers, Workers::Worker &worker);
  /// One step, with gradients multiplied by `scale`; computes squares() too, unless the step needed them before. False if the run was
  /// stopped.
  bool apply(int64_t step, double scale, Workers &workers, Workers::Worker &worker);

  /// Of the last step: the squares of each parameter's gradient, summed.
  const std::map<std::string, double> &squares() const { return sumsOfSquares; }

private:
  struct Update {
    const ParameterInfo *parameter;
    int64_t elements;
    std::vector<const void *> sites; // lane by lane, in their order
    void *value;
    std::vector<void *> moments;
  };
  /// Elements of an update that one worker computes.
  struct Part {
    const Update *update;
    int64_t begin;
    double squares = 0;
  };
  struct Step {
    const StepFactors *factors;
    std::vector<Part> &parts;
  };
  bool forEach(plc_kernel_fn part, const StepFactors *factors, Workers &workers, Workers::Worker &worker);
  static int32_t squareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t updateChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);

  const OptimizerSettings &settings;
  std::map<const ParameterInfo *, std::vector<const void *>> sitesOf; // of the frozen too
  std::vector<Update> updates;
  std::vector<Part> parts; // of each update in order
  std::map<std::string, double> sumsOfSquares;
};

} // namespace plc::runtime

#endif
