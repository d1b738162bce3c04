"""readme_block.py README NAME: prints the fenced block of README whose first line is `# NAME` or begins with it."""
import sys

text, name = open(sys.argv[1]).read(), sys.argv[2]
blocks = [block.partition("\n")[2].strip("\n") + "\n" for block in text.split("```")[1::2]]
matches = [block for block in blocks if block.startswith(f"# {name}")]
if len(matches) != 1:
    sys.exit(f"{len(matches)} blocks start with '# {name}'")
sys.stdout.write(matches[0])
