# run: plc-opt m.mlir --verify-numerics=key=abc -o out.mlir
# expect: two.ein:7:7: error: numerics key is 'f0e0de085c8e490cabbf48dfff43816dd3de062b77aaeeb90586dfa4b2e5f48b' but expected 'abc'
write("m.mlir", ir("numerics"))
