# run: plc-run train
# exit: 2
# expect: plc-run: error: no model, expected M.plcm|MODEL.ein|MODEL.pt2
