//===- Module.cpp - write a compiled module ---------------------------------===//
#include "plc/Codegen/Module.h"

#include "EntryManifest.h"
#include "plc/Codegen/Kernels.h"
#include "plc/Codegen/Target.h"
#include "plc/Dialect/Plan/KernelText.h"
#include "plc/Module/ModuleSeal.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
namespace json = llvm::json;

namespace {

json::Object initializerOf(ein::ParamOp param) {
  double a = param.getA().convertToDouble(), b = param.getB().convertToDouble();
  switch (param.getInit()) {
  case ein::Initializer::constant: return json::Object{{"kind", "constant"}, {"value", a}};
  case ein::Initializer::normal: return json::Object{{"kind", "normal"}, {"scale", a}};
  case ein::Initializer::uniform: break;
  }
  return json::Object{{"kind", "uniform"}, {"low", a}, {"high", b}};
}

json::Array parametersOf(ModuleOp module) {
  json::Array parameters;
  for (auto param : module.getOps<ein::ParamOp>()) {
    auto type = cast<RankedTensorType>(param.getType());
    parameters.push_back(json::Object{{"path", param.getSymName()},
                                      {"type", StringRef(nameOf(elementTypeOf(type)))},
                                      {"shape", json::Array(type.getShape())},
                                      {"init", initializerOf(param)},
                                      {"frozen", param.getFrozen()}});
  }
  return parameters;
}

json::Object describe(const KernelRecord &record) {
  json::Array gathers;
  for (const KernelRecord::Gather &gather : record.gathers)
    gathers.push_back(json::Object{{"where", json::Array(gather.where)}, {"extent", gather.extent}});
  json::Array results;
  for (const KernelRecord::Result &result : record.results)
    results.push_back(json::Object{{"operand", result.operand}, {"type", result.type}, {"elements", result.elements}});
  return json::Object{
      {"name", record.name},           {"symbol", record.symbol},       {"chunks", record.chunks},
      {"flops", record.flops},         {"bytes", record.bytes},         {"where", json::Array(record.where)},
      {"gathers", std::move(gathers)}, {"results", std::move(results)}, {"infinite", record.infinite}};
}

// The kernels of all entries: equal ones are one, a ragged one is two.
struct DistinctKernels {
  SmallVector<plan::KernelOp> kernels;

  KernelVariants add(plan::KernelOp kernel, ein::MicroBatches cut) {
    if (!cut.ragged) {
      int64_t index = find(kernel);
      return {index, index};
    }
    return {find(variant(kernel, cut, 0)), find(variant(kernel, cut, cut.count - 1))};
  }

private:
  llvm::StringMap<int64_t> byText;
  std::vector<OwningOpRef<plan::KernelOp>> made;

  int64_t find(plan::KernelOp kernel) {
    auto [found, isNew] = byText.try_emplace(plan::kernelText(kernel), kernels.size());
    if (isNew)
      kernels.push_back(kernel);
    return found->second;
  }

  // The kernel as it is in a micro-batch; it does work for each sample.
  plan::KernelOp variant(plan::KernelOp kernel, ein::MicroBatches cut, int64_t microBatch) {
    plan::KernelOp clone = made.emplace_back(kernel.clone()).get();
    int64_t samples = cut.samplesOf(microBatch);
    ein::setSamples(clone, cut.ragged, samples);
    if (plan::kernelText(clone) == plan::kernelText(kernel))
      return clone;
    auto part = [&](int64_t cost) { return int64_t(__int128(cost) * samples / cut.ragged); };
    clone.setFlops(part(kernel.getFlops()));
    clone.setBytes(part(kernel.getBytes()));
    clone.setNs(part(kernel.getNs()));
    return clone;
  }
};

// An object with plc_manifest and plc_manifest_size.
LogicalResult emitManifest(StringRef manifest, ArrayRef<std::string> features, Location loc,
                           SmallVectorImpl<char> &object) {
  llvm::LLVMContext context;
  llvm::Module module("manifest", context);
  auto add = [&](StringRef name, llvm::Constant *value) {
    new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, value,
                             name);
  };
  add("plc_manifest", llvm::ConstantDataArray::getString(context, manifest));
  add("plc_manifest_size", llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), manifest.size()));
  int64_t code = 0;
  return emitObject(module, features, loc, object, code);
}

} // namespace

LogicalResult ModuleWriter::compile() {
  DistinctKernels distinct;
  llvm::StringMap<int64_t> names;
  for (ModuleEntry entry : request.entries) {
    kernelIndex.emplace_back();
    plan::ProgramOp program = *entry.module.getBody()->getOps<plan::ProgramOp>().begin();
    for (auto kernel : entry.module.getBody()->getOps<plan::KernelOp>())
      kernelIndex.back()[kernel.getSymName()] = distinct.add(kernel, program.getCut());
  }
  std::vector<KernelRecord> records;
  CodeOptions options{request.contractions, vectorBitsOf(request.features)};
  FailureOr<OwningOpRef<ModuleOp>> written = writeKernels(distinct.kernels, options, records);
  if (failed(written))
    return failure();
  code = std::move(*written);
  if (!code)
    code = ModuleOp::create(ModuleOp(request.entries.front().module).getLoc());
  for (KernelRecord &record : records) {
    // Kernels of another entry may have the name of a different one of the first.
    if (int64_t earlier = names[record.name]++)
      record.name += "#" + std::to_string(earlier + 1);
    kernels.push_back(describe(record));
  }
  return lowerToLLVM(*code, records);
}

LogicalResult ModuleWriter::printLLVM(llvm::raw_ostream &stream) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = optimise(*code, context, request.features);
  if (!module)
    return failure();
  module->print(stream, nullptr);
  return success();
}

LogicalResult ModuleWriter::emitCode(SmallVectorImpl<char> &object, int64_t &codeBytes) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = optimise(*code, context, request.features);
  if (!module)
    return failure();
  return emitObject(*module, request.features, code->getLoc(), object, codeBytes);
}

LogicalResult ModuleWriter::writeObject(llvm::raw_ostream &stream) {
  SmallVector<char> object;
  int64_t codeBytes = 0;
  if (failed(emitCode(object, codeBytes)))
    return failure();
  stream.write(object.data(), object.size());
  return success();
}

std::string ModuleWriter::manifestText(int64_t codeBytes) {
  json::Object entries;
  for (auto [entry, indices] : llvm::zip(request.entries, kernelIndex)) {
    entries[entry.name] = entryManifest(entry.module, [&](StringRef kernel) { return indices.lookup(kernel); });
  }
  json::Object manifest{{"plcm", int64_t(module::ModuleSeal::currentVersion)},
                        {"model", request.model},
                        {"source", request.source},
                        {"numerics_key", request.numericsKey},
                        {"real", request.real},
                        {"threads_per_stage", request.threadsPerStage},
                        {"profiling", request.profiling},
                        {"target_features", json::Array(request.features)},
                        {"optimizer", request.optimizer},
                        {"plan", request.plan},
                        {"parameters", parametersOf(ModuleOp(request.entries.front().module))},
                        {"kernels", json::Array(kernels)},
                        {"code_bytes", codeBytes},
                        {"entries", std::move(entries)}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(manifest));
  return text;
}

LogicalResult ModuleWriter::writeShared(StringRef path) {
  SmallVector<char> object, manifestObject;
  int64_t codeBytes = 0;
  if (failed(emitCode(object, codeBytes)))
    return failure();
  if (failed(emitManifest(manifestText(codeBytes), request.features, code->getLoc(), manifestObject)))
    return failure();
  return linkModule({StringRef(object.data(), object.size()), StringRef(manifestObject.data(), manifestObject.size())},
                    path, UnknownLoc::get(code->getContext())); // what fails is no line of the model
}

LogicalResult codegen::writeModule(const ModuleRequest &request, StringRef path) {
  ModuleWriter writer(request);
  return failed(writer.compile()) ? failure() : writer.writeShared(path);
}
