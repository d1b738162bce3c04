# run: plc-opt m.mlir --plan-insert-comm -o out.mlir
# expect: two.ein:7:7: error: 'plan.run' op names task F of 's3', which does not exist
write("m.mlir", ir("schedule").replace(b'plan.run @s1', b'plan.run @s3', 1))
