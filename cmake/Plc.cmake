# Most of the time to compile a source on MLIR goes into the same headers, so all share one precompiled form of them.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
add_library(PLCPrecompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_precompile_headers(PLCPrecompiled PRIVATE
  <mlir/Bytecode/BytecodeOpInterface.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/DialectImplementation.h>
  <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/PassManager.h>)

# One static library per folder: plc_library(PLCName sources... DEPENDS targets... LINK libraries...).
function(plc_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(MLIR IN_LIST ARG_LINK)
    target_precompile_headers(${name} REUSE_FROM PLCPrecompiled)
  endif()
endfunction()

# A program in build/bin/. On MLIR it names only the shared MLIR and LLVM: naming an archive beside them breaks.
function(plc_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# A GoogleTest program in build/unit/, which a lit test of the same folder runs as %unit/NAME.
function(plc_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_property(GLOBAL APPEND PROPERTY PLC_UNIT_TESTS ${name})
endfunction()
