# run: plc-compile folder.ein
# expect: plc-compile: error: cannot read model 'folder.ein': Is a directory
import os
os.mkdir("folder.ein")
