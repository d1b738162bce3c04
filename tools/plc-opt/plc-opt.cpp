//===- plc-opt.cpp - run passes on IR, with MLIR's own conventions ---------===//
#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<plc::ein::EinDialect>();
  mlir::registerTransformsPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "plc-opt: passes on plc's IR\n", registry));
}
