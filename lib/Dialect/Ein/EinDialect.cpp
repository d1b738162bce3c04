//===- EinDialect.cpp - registration of the ein dialect -------------------===//
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/NameText.h"
#include "plc/Dialect/Ein/PositionalText.h"
#include "plc/Support/Word.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace plc::ein;

static ParseResult parseShard(OpAsmParser &parser, ShardAttr &shard) {
  return failed(parser.parseOptionalKeyword("shard")) ? success() : parser.parseCustomAttributeWithFallback(shard);
}
static void printShard(OpAsmPrinter &printer, Operation *, ShardAttr shard) {
  if (!shard || PositionalText::isOn()) // the symbol is its text
    return;
  printer << " shard ";
  printer.printStrippedAttrOrType(shard);
}

#include "dialects/Ein/EinOpsDialect.cpp.inc"
#include "dialects/Ein/EinOpsEnums.cpp.inc"
#include "dialects/Ein/EinOpsInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Ein/EinOpsTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Ein/EinOpsAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Ein/EinOps.cpp.inc"

void EinDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ein/EinOpsTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Ein/EinOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Ein/EinOps.cpp.inc"
      >();
}

ParseResult plc::ein::parseName(OpAsmParser &parser, Attribute &name) {
  std::string plain;
  if (succeeded(parser.parseOptionalString(&plain))) {
    name = parser.getBuilder().getStringAttr(plain);
    return success();
  }
  SMLoc location = parser.getCurrentLocation();
  StringRef kind;
  OptionalParseResult parsed = generatedAttributeParser(parser, &kind, Type(), name);
  if (!parsed.has_value())
    return parser.emitError(location, "found '") << kind << "', expected a string or a name such as 'state<\"..\">'";
  return *parsed;
}

void plc::ein::printName(OpAsmPrinter &printer, Operation *, Attribute name) {
  if (auto plain = dyn_cast<StringAttr>(name))
    printer.printAttributeWithoutType(plain);
  else if (failed(generatedAttributePrinter(name, printer)))
    llvm_unreachable("a name is a string or an attribute of this dialect");
}
