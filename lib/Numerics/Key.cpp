//===- Key.cpp - the hash of a program's numerics --------------------------===//
#include "plc/Numerics/Key.h"
#include "plc/Dialect/Ein/PositionalText.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

std::string plc::numerics::numericsKey(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ein::PositionalText scope;
  OpPrintingFlags flags;
  // Local scope: names of attributes and types do not depend on what else the module holds.
  flags.enableDebugInfo(false).useLocalScope();
  // The key is the program's, whatever options say of printing.
  flags.printGenericOpForm(false).skipRegions(false).printValueUsers(false).printUniqueSSAIDs(false);
  flags.printNameLocAsPrefix(false).elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  // How the program came about is no part of it.
  DictionaryAttr provenance = module->getDiscardableAttrDictionary();
  module->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  module.print(stream, flags);
  module->setDiscardableAttrs(provenance);
  auto hash = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return llvm::toHex(hash, /*LowerCase=*/true);
}
