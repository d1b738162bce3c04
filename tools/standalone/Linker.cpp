// The linker beside a compiler with LLVM inside: LLVM's for ELF, under the name ld.lld.
#include "lld/Common/Driver.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

// It links kernels, which are native objects, and never bitcode. So no target of LLVM and no Polly is in it: these
// definitions stand for those that the driver's link-time optimizer would bring.
#define LLVM_TARGET(Name)                                                                                              \
  extern "C" void LLVMInitialize##Name##Target() {}                                                                    \
  extern "C" void LLVMInitialize##Name##TargetInfo() {}                                                                \
  extern "C" void LLVMInitialize##Name##TargetMC() {}
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(Name)                                                                                         \
  extern "C" void LLVMInitialize##Name##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(Name)                                                                                          \
  extern "C" void LLVMInitialize##Name##AsmParser() {}
#include "llvm/Config/AsmParsers.def"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}, nullptr};
}

int main(int argc, char **argv) {
  return lld::lldMain({argv, argv + argc}, llvm::outs(), llvm::errs(), {{lld::Gnu, &lld::elf::link}}).retCode;
}
