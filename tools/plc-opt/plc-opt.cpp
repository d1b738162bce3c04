//===- plc-opt.cpp - runs passes on IR, by MLIR's conventions -------------===//
#include "plc/Algebra/Passes.h"
#include "plc/Codegen/Passes.h"
#include "plc/Dialect/Blis/Blis.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Driver/Phases.h"
#include "plc/Kernels/Passes.h"
#include "plc/Numerics/Passes.h"
#include "plc/Planning/Passes.h"
#include "plc/Support/Version.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

#include <link.h>

// An error shows its line; the operation is printed on request.
static void keepErrorsShort() {
  mlir::registerMLIRContextCLOptions();
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  static_cast<llvm::cl::opt<bool> *>(option)->setInitialValue(false);
}

// The libraries of the compiler in this process.
static std::vector<std::string> loadedCompilers() {
  std::vector<std::string> compilers;
  dl_iterate_phdr(
      [](dl_phdr_info *library, size_t, void *found) {
        llvm::StringRef name = llvm::sys::path::filename(library->dlpi_name);
        if (name.starts_with("libplc-compiler.so"))
          static_cast<std::vector<std::string> *>(found)->push_back(name.str());
        return 0;
      },
      &compilers);
  return compilers;
}

// False, after an error, if a plug-in brought a library of the compiler. Its dialects are not the ones of this program.
static bool sharesCompiler(size_t own) {
  std::vector<std::string> compilers = loadedCompilers();
  if (compilers.size() == own)
    return true;
  if (own == 0)
    llvm::errs() << "plc-opt: error: this plc-opt has the compiler inside, which a plug-in cannot share; use the one "
                    "that 'cmake --install build --prefix DIR' installs\n";
  else
    llvm::errs() << "plc-opt: error: a plug-in was built for another version of plc: it brings '" << compilers.back()
                 << "', but this is plc-opt " << plc::version() << "; build it again\n";
  return false;
}

int main(int argc, char **argv) {
  size_t ownCompilers = loadedCompilers().size();
  keepErrorsShort();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "plc-opt " << plc::version() << "\n"; });
  mlir::DialectRegistry registry;
  registry.insert<plc::ein::EinDialect, plc::plan::PlanDialect, plc::blis::BlisDialect>();
  // The dialects of kernels that are lowered to code.
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
  plc::algebra::registerAlgebraPasses();
  plc::numerics::registerNumericsPasses();
  plc::kernels::registerKernelsPasses();
  plc::plan::registerPlanningPasses();
  plc::codegen::registerCodegenPasses();
  plc::codegen::registerCodegenPipelines();
  plc::driver::registerPipelines();
  plc::driver::registerDebugOption();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "plc-opt: passes on plc's IR\n", registry);
  return !sharesCompiler(ownCompilers) || mlir::failed(mlir::MlirOptMain(argc, argv, input, output, registry));
}
