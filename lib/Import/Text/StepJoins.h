//===- StepJoins.h - joins of what the steps of a loop give -----*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_STEPJOINS_H
#define PLC_LIB_IMPORT_TEXT_STEPJOINS_H

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace plc::import {

using Words = std::vector<std::string>; // of a line

/// Lines that join what all iterations gave: what is given at the counter ('@') is what a line of the body gives.
struct Joined {
  std::set<size_t> lines;
  std::string left; // "y[b, @, e] = "
  Words model;      // the first one's right side
  std::optional<size_t> source;
  size_t axis = 0;
};

/// Which line of which iteration gives a name.
struct Origin {
  size_t iteration, line;
};
using Origins = std::map<std::string, Origin>; // by name

std::optional<Origin> originOf(const Origins &origins, const std::string &name);

/// The join that a line is of, if it is one of what one line gives in each of `count` iterations: a choice by
/// position, or a clause for each.
std::optional<Joined> findJoined(const std::vector<std::string> &lines, const std::vector<Words> &tokens,
                                 const Origins &origins, size_t count, size_t line);

} // namespace plc::import

#endif
