//===- plc-opt.cpp - run passes on IR, with MLIR's own conventions ---------===//
#include "plc/Algebra/Passes.h"
#include "plc/Codegen/Passes.h"
#include "plc/Dialect/Blis/Blis.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Kernels/Passes.h"
#include "plc/Numerics/Passes.h"
#include "plc/Planning/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<plc::ein::EinDialect, plc::plan::PlanDialect, plc::blis::BlisDialect>();
  mlir::registerTransformsPasses();
  plc::algebra::registerAlgebraPasses();
  plc::numerics::registerNumericsPasses();
  plc::kernels::registerKernelsPasses();
  plc::plan::registerPlanningPasses();
  plc::codegen::registerCodegenPasses();
  plc::codegen::registerCodegenPipelines();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "plc-opt: passes on plc's IR\n", registry));
}
