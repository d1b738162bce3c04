// A pass of your own: reports how many tasks each rank of a plan runs. plc-opt loads it.
#include <mlir/Pass/Pass.h>
#include <mlir/Tools/Plugins/PassPlugin.h>
#include <plc/Dialect/Plan/Plan.h>
#include <plc/Support/Version.h>

using namespace mlir;

namespace {

struct CountRuns : PassWrapper<CountRuns, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountRuns)

  StringRef getArgument() const final { return "count-runs"; }
  StringRef getDescription() const final { return "reports how many tasks each rank runs"; }

  void runOnOperation() override {
    getOperation().walk([](plc::plan::RankOp rank) {
      size_t runs = llvm::range_size(rank.getBody().getOps<plc::plan::RunOp>());
      rank.emitRemark("rank ") << rank.getIndex() << " runs " << runs << " tasks";
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "count-runs", plc::version(), [] { PassRegistration<CountRuns>(); }};
}
