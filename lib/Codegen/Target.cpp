//===- Target.cpp - compiles the LLVM dialect to machine code -------------===//
#include "plc/Codegen/Target.h"

#include "BlisRoutines.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace plc;

static constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

// `native` takes what the host has; AVX-512 and AMX only as whole sets, since kernels use all of their parts.
std::vector<std::string> codegen::featuresOf(InstructionSet set) {
  static constexpr llvm::StringLiteral wide[] = {"avx512f", "avx512dq", "avx512bw", "avx512vl"};
  static constexpr llvm::StringLiteral matrix[] = {"amx-tile", "amx-bf16"};
  static constexpr llvm::StringLiteral known[] = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx",
                                                  "avx2", "fma",   "f16c",   "bmi",    "bmi2",   "lzcnt"};
  const InstructionSetRow &row = rowOf(set);
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> features;
  // A named set takes its features whatever the host has: modules are compiled for other machines, too.
  for (StringRef name : known)
    if (!row.asHost || host.lookup(name))
      features.push_back(name.str());
  auto addAll = [&](ArrayRef<llvm::StringLiteral> names) {
    if (!row.asHost || llvm::all_of(names, [&](StringRef name) { return host.lookup(name); }))
      for (StringRef name : names)
        features.push_back(name.str());
  };
  if (row.wide)
    addAll(wide);
  // AMX only beside AVX-512: its kernels pack in vectors of 512 bits.
  if (row.matrix && llvm::is_contained(features, "avx512f"))
    addAll(matrix);
  return features;
}

codegen::CodeOptions codegen::codeOptionsOf(ArrayRef<std::string> features) {
  // The width of vectors follows from the features, so that equal features give equal code.
  return {llvm::is_contained(features, "avx512f") ? 512 : 256, llvm::is_contained(features, "amx-bf16")};
}

// The target machine: x86-64 with the features alone, whatever CPU compiles.
static std::unique_ptr<llvm::TargetMachine> createMachine(ArrayRef<std::string> features) {
  static const bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;
  std::string error;
  llvm::Triple target(triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(target, error);
  assert(found && "this LLVM is of x86-64");
  // Vectors stay as wide as they are written; LLVM would halve them for some CPUs.
  std::string text = "-prefer-256-bit";
  for (const std::string &feature : features)
    text += ",+" + feature;
  llvm::TargetOptions options;
  // A product and a sum round separately unless the program says fma; else bits would depend on the optimizer.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target, "x86-64", text, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

// LLVM's O2 without vectorizers, since kernels are vectorized already, and without library functions: no loop may
// become a call of memset.
static void runPasses(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library{machine.getTargetTriple()};
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

std::unique_ptr<llvm::Module> codegen::optimise(ModuleOp module, llvm::LLVMContext &context,
                                                ArrayRef<std::string> features) {
  for (StringRef needed : {"avx2", "fma"})
    if (!llvm::is_contained(features, needed)) {
      module.emitError("the target has features '") << llvm::join(features, ",") << "' but needs '" << needed << "'";
      return nullptr;
    }
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(features);
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, "plc");
  if (!code)
    return nullptr;
  // Layout and triple decide what the passes may do, so they are set before.
  code->setTargetTriple(llvm::Triple(triple));
  code->setDataLayout(machine->createDataLayout());
  // No path of the build gets into the object.
  code->setSourceFileName("plc");
  runPasses(*code, *machine);
  return code;
}

// Sums up the code's bytes, and rejects undefined symbols other than BLIS's.
LogicalResult codegen::checkObject(StringRef bytes, Location loc, int64_t &codeBytes) {
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object")));
  for (const llvm::object::SectionRef &section : object->sections())
    if (section.isText())
      codeBytes += section.getSize();
  for (const llvm::object::SymbolRef &symbol : object->symbols()) {
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    StringRef name = llvm::cantFail(symbol.getName());
    // Position-independent code refers to the offset table, which the linker makes.
    if (!(flags & llvm::object::SymbolRef::SF_Undefined) || name.empty() || name == "_GLOBAL_OFFSET_TABLE_")
      continue;
    if (!codegen::isBlisRoutine(name))
      return emitError(loc, "compiled kernels call '") << name << "' but may call BLIS only";
  }
  return success();
}

LogicalResult codegen::emitObject(llvm::Module &module, ArrayRef<std::string> features, Location loc,
                                  llvm::SmallVectorImpl<char> &object, int64_t &codeBytes) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(features);
  module.setTargetTriple(llvm::Triple(triple));
  module.setDataLayout(machine->createDataLayout());
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  [[maybe_unused]] bool writes =
      !machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  assert(writes && "x86-64 has objects");
  passes.run(module);
  return checkObject(StringRef(object.data(), object.size()), loc, codeBytes);
}
