// The optimizer's updates of one rank's parameters.
#ifndef PLC_LIB_RUNTIME_EXECUTE_UPDATES_H
#define PLC_LIB_RUNTIME_EXECUTE_UPDATES_H

#include "Arena.h"
#include "Workers.h"
#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Base/StepParameters.h"

#include <map>

namespace plc::runtime {

/// Runs the compiled rules of an optimizer, by the kernels of a module.
class KernelRunner : public UpdateRunner {
public:
  explicit KernelRunner(const std::vector<KernelInfo> &kernels) : kernels(kernels) {}
  void run(const UpdateProgram &program, void *const *ports, int64_t count, UpdateWorkspace &workspace) const override;

private:
  const std::vector<KernelInfo> &kernels;
};

/// Sums the gradients of the parameters that a rank owns, and updates the trained ones, in place in the rank's arena.
/// Updates are divided into slices of `updatedPart` elements, which all workers share as they share the chunks of a
/// kernel. Rules on whole tensors run for one parameter after another, and workers share each of their kernels. Bits do
/// not depend on the number of workers.
class Updates {
public:
  Updates(const Manifest &manifest, const StepParameters &parameters, const RankInfo &plan, const Arena &arena);

  /// The gradient of a parameter: its sites added in order, one accumulation group after another. Leaves `out` as it is
  /// if this rank does not own the parameter.
  void sumSites(const std::string &parameter, void *out) const;

  /// Computes squares() without an update. False if the run was stopped.
  bool measure(Workers &workers, Workers::Worker &worker);
  /// Makes step `step`, with gradients multiplied by `scales`, or as they are if there are none. Computes squares()
  /// too, unless measure() had to do so before. False if the run was stopped.
  bool apply(int64_t step, const std::vector<double> &scales, Workers &workers, Workers::Worker &worker);

  /// Of the last step: the sum of squares of each parameter's gradient, by path.
  const std::map<std::string, double> &squares() const { return sumsOfSquares; }

private:
  /// The addresses of one parameter's update.
  struct Update {
    const ParameterInfo *parameter;
    size_t step; // of `programs`
    int64_t elements;
    std::vector<const void *> sites; // by accumulation group, then site: the order of addition
    void *value;
    std::vector<void *> moments;
    void *average = nullptr; // if the optimizer keeps one
    size_t firstPart = 0, numParts = 0;
    const ParameterInfo *whole = nullptr; // of a shard that rules on whole tensors update
  };
  /// A program of the rules with the settings of a variant.
  struct Program {
    size_t variant;
    const OptimizerForm *form;
    const UpdateRules *rules;
    const UpdateProgram *program;
    bool operator==(const Program &) const = default;
  };
  /// A slice of an update: elements that one worker computes.
  struct Part {
    const Update *update;
    int64_t begin;
    double squares = 0;
  };
  using UpdateSteps = std::vector<UpdateStep>; // as `programs`
  /// The operand of the functions below, which are called as kernels; a chunk is a slice.
  struct Step {
    const UpdateSteps &updates;
    double ema;
    std::span<Part> parts;
    std::byte *workspace = nullptr; // of rules on whole tensors

    module::UpdateLayout layoutOf(const Update &update) const;
  };
  /// False if the run was stopped.
  static bool forEach(plc_kernel_fn part, Step step, Workers &workers, Workers::Worker &worker);
  static int32_t squareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t updateChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t prepareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t finishChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t gatherGradients(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t gatherTensors(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t scatterResults(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  size_t programOf(const ParameterInfo &parameter);
  /// The parameter, or the whole of which it is a shard.
  const ParameterInfo *wholeOf(const ParameterInfo &held) const;
  template <class Visit>
  static int32_t visitParts(void *const *operands, int64_t begin, int64_t end, Visit visit);
  /// Moves the average of a slice, if the optimizer keeps one.
  static void average(const Part &part, const Step &step);
  /// Calls visit(whole tensor, the shard's division of it) for the parameter (0) or a state beside it (from 1).
  template <class Visit>
  static void withShard(const Update &update, const OptimizerForm &form, size_t tensor, Visit visit);
  /// The update of a parameter, or of all shards of one.
  bool applyWhole(std::span<const Update> shards, const Step &step, Workers &workers, Workers::Worker &worker);
  void sumParts();

  const Manifest &manifest;
  const StepParameters &parameters;
  const KernelRunner runner;
  std::map<const ParameterInfo *, std::vector<const void *>> sitesOf; // of frozen parameters too, for `gradient`
  std::vector<std::pair<const ParameterInfo *, void *>> replaced;     // by the sums of their sites: where they are
  std::byte *workspace; // behind the persistent buffers: no task needs it during an update
  std::vector<Program> programs;
  std::vector<Update> updates; // element by element, then those on whole tensors
  std::vector<Part> parts;     // of all updates, in order
  std::vector<Part> shards;    // of updates on whole tensors, in order: one for each
  size_t numElementwise = 0;   // of `parts`
  std::map<std::string, double> sumsOfSquares;
};

} // namespace plc::runtime

#endif
