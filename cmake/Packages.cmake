# Debian's packages, made by tools/deb: a component is one. What links LLVM is left out, since Debian 12 has no LLVM of this
# version: package plc has the compiler with LLVM inside.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The authors of plc <plc@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(here "(= ${PROJECT_VERSION})")
function(plc_package component package section depends summary text)
  string(TOUPPER ${component} key)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

# A module names this very BLIS.
plc_package(runtime plc-runtime science libblis4-serial "runs models that plc has compiled"
  "The program plc-run, and libplcrt with its C API.")
plc_package(standalone plc science "plc-runtime ${here}" "compiler and planner for models written as einsum rules"
  "The program plc-compile, with LLVM and a linker inside, and examples.")
plc_package(dev plc-dev libdevel "plc-runtime ${here}, libblis-serial-dev" "headers and libraries of plc's runtime"
  "Runs compiled models from C and C++: find_package(plc COMPONENTS runtime).")
plc_package(python python3-plc python "plc ${here}, plc-runtime ${here}, python3 (>= 3.9), python3-numpy"
  "plc for Python" "Compiles, runs and trains models by plc, on arrays of numpy.")
get_property(mpis GLOBAL PROPERTY PLC_MPIS)
foreach(mpi IN LISTS mpis)
  plc_package(${mpi} plc-${mpi} science "plc-runtime ${here}" "plug-in of plc for the MPI library ${mpi}"
    "Spreads the ranks of a plan over processes and machines.")
endforeach()
set(CPACK_DEBIAN_OPENMPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_MPICH_PACKAGE_RECOMMENDS mpich)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "plc-openmpi | plc-mpich")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/plc DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/plc COMPONENT standalone EXCLUDE_FROM_ALL)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${key}_PACKAGE_NAME}
    RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
