//===- InterpretedEngine.h - the interpreter as an engine -----------------===//
#ifndef PLC_TOOLS_INTERPRET_INTERPRETEDENGINE_H
#define PLC_TOOLS_INTERPRET_INTERPRETEDENGINE_H

#include "InterpretedRules.h"
#include "Source.h"

#include "plc/Reference/Interpreter.h"
#include "plc/Runtime/Base/Engine.h"

#include <map>

namespace plc::interpret {

/// Runs the entries of a source by the interpreter: the entries of a compiled module, `gradient` among them. Programs
/// are lowered when they first run.
class InterpretedEngine : public runtime::Engine {
public:
  InterpretedEngine(const runtime::ModelRequest &request, const Settings &settings);

  std::string modelName() const override;
  ElementType realType() const override { return real; }
  std::string numericsKey() const override;
  std::string planJson() const override { return "{\"numerics_key\": \"" + numericsKey() + "\"}"; }
  const std::vector<runtime::EntryInfo> &entries() const override { return entryList; }
  const std::vector<runtime::ParameterInfo> &parameters() const override { return parameterList; }
  const runtime::OptimizerSettings &optimizer() const override { return settings.optimizer; }
  void readParameter(size_t index, void *out) override;
  void writeParameter(size_t index, const void *data) override;
  void readMoment(size_t index, int which, void *out) override;
  void writeMoment(size_t index, int which, const void *data) override;
  void clearMoments(size_t index) override;
  void readAverage(size_t index, void *out) override;
  void writeAverage(size_t index, const void *data) override;
  void useAverages(bool uses) override { usesAverages = uses; }
  runtime::StepResult trainStep(int64_t step, const std::vector<runtime::Bytes> &inputs) override;
  std::optional<runtime::Error> findNonFinite(const std::vector<runtime::Bytes> &inputs) override;
  std::vector<runtime::Bytes> run(const runtime::EntryInfo &entry, const std::vector<runtime::Bytes> &inputs) override;

  void restart(const runtime::EntryInfo &entry) override;
  std::optional<int64_t> statePositions(const runtime::EntryInfo &entry) const override;

  /// The least extent that gathers and scatters index; 4 if there are none.
  int64_t indexBound() override;
  bool asksForTraining() override;

private:
  void changeOptimizer(const runtime::OptimizerSettings &changed) override { settings.optimizer = changed; }
  /// A lowered program and its interpreter.
  struct Program {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::unique_ptr<reference::Interpreter> interpreter;
    std::map<std::pair<std::string, int64_t>, reference::Tensor>
        states; // by path and micro-batch, once there was a run
  };
  /// A parameter's value, optimizer moments and average.
  struct Held {
    reference::Tensor value, average;
    std::vector<reference::Tensor> moments;
  };
  void listEntries(const std::vector<std::string> &askedOutputs);
  void listEntriesOfIR();
  /// Adds `train`, and `gradient`: the same with the gradients of parameters as further outputs, and without a step.
  void addTrainingEntries(mlir::ModuleOp program, llvm::function_ref<bool(const runtime::ParameterInfo &)> isMade);
  void addGradients(runtime::EntryInfo &entry, const std::vector<std::string> &outputs) const;
  void listParameters();
  void holdParameters();
  runtime::EntryInfo describe(mlir::ModuleOp module, const std::string &name);
  Program &programOf(const std::string &entry) const;
  /// The value of a state before a run.
  static reference::Tensor stateIn(Program &program, llvm::StringRef path, mlir::Type type, int64_t microBatch);
  reference::Tensor firstMoment(size_t index, size_t which) const;
  void replace(size_t whole, const runtime::Bytes &next);
  /// Takes the optimizer's step, if it is finite. Adds to the result everything except the losses, which it has.
  void updateParameters(const runtime::TrainingStep &step, Program &program, runtime::StepResult &result);
  /// Moves the average of a parameter, or of one shard of it, towards its new value.
  void updateAverage(const runtime::ParameterInfo &info, const std::optional<ShardName> &shard,
                     const reference::Tensor &value, reference::Tensor &whole) const;
  /// The number of the whole parameter of a path.
  size_t parameterNumber(std::string_view path) const;
  /// Runs the micro-batches of one batch, in order. Returns the results of each.
  std::vector<std::vector<reference::Tensor>> runBatch(const runtime::EntryInfo &entry, Program &program,
                                                       const runtime::TrainingStep &step,
                                                       const std::vector<runtime::Bytes> &inputs);

  mutable Source source;
  Settings settings;
  ElementType real;
  std::vector<runtime::EntryInfo> entryList;
  std::vector<runtime::ParameterInfo> parameterList;
  std::vector<Held> held;
  bool usesAverages = false;
  mutable std::map<std::string, Program> programs;
  std::unique_ptr<InterpretedRules> rules; // of the optimizer, if the model can be trained
};

} // namespace plc::interpret

#endif
