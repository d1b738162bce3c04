//===- WriteModule.cpp - writes a compiled module -------------------------===//
#include "plc/Codegen/WriteModule.h"

#include "plc/Codegen/Kernels.h"
#include "plc/Codegen/ObjectCache.h"
#include "plc/Codegen/Target.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Module/MakeInitializer.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

std::vector<module::ParameterInfo> parametersOf(ModuleOp module) {
  std::vector<module::ParameterInfo> parameters;
  for (auto param : module.getOps<ein::ParamOp>()) {
    RankedTensorType type = param.getShardType();
    auto init = module::initializerOf(stringifyEnum(param.getInit()), param.getA().convertToDouble(),
                                      param.getB().convertToDouble());
    parameters.push_back({param.getSymName().str(), elementTypeOf(type), type.getShape().vec(), init, param.getFrozen(),
                          param.getReplaced(), ein::findShard(param.getShardAttr()),
                          int64_t(param.getRows().value_or(0))});
  }
  return parameters;
}

// A kernel's record as the manifest has it.
module::KernelInfo describe(const KernelRecord &record) {
  module::KernelInfo kernel{
      record.name, record.symbol,   record.where, record.chunks, record.flops, record.bytes, record.ns, {}, {},
      {},          record.infinite, record.loop};
  for (const KernelRecord::Gather &gather : record.gathers)
    kernel.gathers.push_back({gather.where, gather.extent});
  auto read = [](const std::vector<KernelRecord::RealOperand> &from, std::vector<module::RealOperand> &to) {
    for (const KernelRecord::RealOperand &operand : from)
      to.push_back({operand.operand, *parseElementType(operand.type), operand.elements});
  };
  read(record.inputs, kernel.inputs);
  read(record.results, kernel.results);
  return kernel;
}

// Emits an object with the symbols plc_manifest and plc_manifest_size.
LogicalResult emitManifest(StringRef manifest, ArrayRef<std::string> features, Location loc,
                           SmallVectorImpl<char> &object) {
  llvm::LLVMContext context;
  llvm::Module module("manifest", context);
  auto add = [&](StringRef name, llvm::Constant *value) {
    new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, value,
                             name);
  };
  // The size is a symbol of its own, so that a reader does not have to look for the end.
  add("plc_manifest", llvm::ConstantDataArray::getString(context, manifest));
  add("plc_manifest_size", llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), manifest.size()));
  int64_t code = 0;
  return emitObject(module, features, loc, object, code);
}

} // namespace

// Equal kernels of all entries are compiled once. A kernel of a ragged cut has two variants.
LogicalResult ModuleWriter::compile() {
  KernelSet kernels;
  llvm::StringMap<int64_t> names;
  manifest = request.manifest;
  manifest.targetFeatures = request.features;
  // All entries have the parameters of one model.
  manifest.held = parametersOf(ModuleOp(request.entries.front().module));
  for (ModuleEntry entry : request.entries) {
    plan::ProgramOp program = *entry.module.getBody()->getOps<plan::ProgramOp>().begin();
    // The action table refers to kernels in this order.
    for (auto kernel : entry.module.getBody()->getOps<plan::KernelOp>()) {
      KernelVariants variants = kernels.find(kernel, program.getCut());
      entry.table.kernels.push_back(variants.full);
      entry.table.shortKernels.push_back(variants.shorter);
    }
    manifest.entries.push_back(std::move(entry.table));
  }
  addUpdates(kernels);
  CodeOptions options = codeOptionsOf(request.features);
  FailureOr<OwningOpRef<ModuleOp>> written = writeKernels(kernels, options, records);
  if (failed(written))
    return failure();
  code = std::move(*written);
  // Without kernels there is still a module, with a manifest and no code.
  if (!code)
    code = ModuleOp::create(ModuleOp(request.entries.front().module).getLoc());
  for (KernelRecord &record : records) {
    // Different kernels of two entries may share a name: the later one gets a number.
    if (int64_t earlier = names[record.name]++)
      record.name += "#" + std::to_string(earlier + 1);
    manifest.kernels.push_back(describe(record));
  }
  return success();
}

void ModuleWriter::addUpdates(KernelSet &kernels) {
  auto add = [&](ModuleOp module, module::UpdateProgram &program) {
    if (!module)
      return;
    std::vector<int64_t> numbers;
    plan::ProgramOp planned = *module.getBody()->getOps<plan::ProgramOp>().begin();
    for (auto kernel : module.getBody()->getOps<plan::KernelOp>())
      numbers.push_back(kernels.find(kernel, planned.getCut()).full);
    for (module::UpdateCall &call : program.calls)
      call.kernel = numbers[call.kernel];
  };
  for (auto [modules, rules] : llvm::zip_equal(request.updates, manifest.updates)) {
    add(modules.scalars, rules.scalars);
    for (auto [module, program] : llvm::zip_equal(modules.tensors, rules.tensors))
      add(module, program);
  }
}

std::unique_ptr<llvm::Module> ModuleWriter::lower(llvm::LLVMContext &context) {
  if (failed(lowerToLLVM(*code, records)))
    return nullptr;
  return optimise(*code, context, request.features);
}

LogicalResult ModuleWriter::printLLVM(llvm::raw_ostream &stream) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = lower(context);
  if (!module)
    return failure();
  module->print(stream, nullptr);
  return success();
}

// Looks the kernels up in the cache before it compiles them. A cached object is checked like a new one.
LogicalResult ModuleWriter::emitCode(SmallVectorImpl<char> &object, int64_t &codeBytes) {
  ObjectCache cache(request.objectFolder, *code, request.features);
  auto options = [](StringRef name) { return remark::RemarkOpts::name(name).category("object-cache"); };
  // A hit skips LLVM, which takes most of the time.
  if (std::optional<SmallVector<char>> found = cache.find()) {
    object = std::move(*found);
    remark::passed(code->getLoc(), options("Found"))
        << remark::add("took the code of {0} kernels from the cache", records.size());
    return checkObject(StringRef(object.data(), object.size()), code->getLoc(), codeBytes);
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = lower(context);
  if (!module || failed(emitObject(*module, request.features, code->getLoc(), object, codeBytes)))
    return failure();
  remark::missed(code->getLoc(), options("Compiled")) << remark::add("compiled {0} kernels", records.size());
  // Only an object that was checked is kept.
  cache.keep(StringRef(object.data(), object.size()));
  return success();
}

LogicalResult ModuleWriter::writeObject(llvm::raw_ostream &stream) {
  SmallVector<char> object;
  int64_t codeBytes = 0;
  if (failed(emitCode(object, codeBytes)))
    return failure();
  stream.write(object.data(), object.size());
  return success();
}

LogicalResult ModuleWriter::writeShared(StringRef path) {
  SmallVector<char> object, manifestObject;
  int64_t codeBytes = 0;
  if (failed(emitCode(object, codeBytes)))
    return failure();
  // The manifest names the size of the code, so the code is compiled first.
  manifest.codeBytes = codeBytes;
  if (failed(emitManifest(module::writeManifest(manifest), request.features, code->getLoc(), manifestObject)))
    return failure();
  return linkModule({StringRef(object.data(), object.size()), StringRef(manifestObject.data(), manifestObject.size())},
                    path, UnknownLoc::get(code->getContext())); // a failure is at no line of the model
}
