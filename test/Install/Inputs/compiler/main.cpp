// Compiles MODEL.ein into OUT.plcm.
#include <plc/Driver/Compile.h>

int main(int, char **argv) {
  plc::driver::CompileOptions options;
  options.model = argv[1];
  options.output = argv[2];
  return plc::driver::compile(options);
}
