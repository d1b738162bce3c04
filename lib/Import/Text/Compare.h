//===- Compare.h - rules of a model at two sizes ----------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_COMPARE_H
#define PLC_LIB_IMPORT_TEXT_COMPARE_H

#include <string>

namespace plc::import {

/// Two texts of one model, exported at different sizes, as one that holds at both: they differ in the values of sizes,
/// and in numbers that are sizes, or these plus or times a number. A comment names the sizes that were equal at both.
/// `other` is the second one's file. Throws ImportError at the first difference that is another one.
std::string compareSizes(const std::string &first, const std::string &second, const std::string &other);

} // namespace plc::import

#endif
