#!/usr/bin/env python3
"""Draws docs/recording.svg: the real output of patchpack, line by line.

    recording.py PATCHPACK
"""

import html
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The commands as typed, and the commands that run.
COMMANDS = [
    "patchpack lint fix.lua",
    "patchpack pack fix.lua -o dist --signing-key keys/signing.pem --script-key keys/script.key",
    "patchpack verify dist/fix.js --trusted-key keys/trusted.pem --script-key keys/script.key",
    "printf x >>dist/fix.js",
    "patchpack verify dist/fix.js --trusted-key keys/trusted.pem --script-key keys/script.key",
    "echo $?",
]
SCRIPT = """-- @patch    com.example.shop.fix
-- @version  1
-- @app      com.example.shop >=2.3.0
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
"""
LINE, WIDTH = 22, 104
STYLE = """
  .back { fill: #f6f8fa; } text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }
  .typed { font-weight: 600; } .good { fill: #1a7f37; } .bad { fill: #c62828; } .faint { fill: #59636e; }
  @media (prefers-color-scheme: dark) { .back { fill: #15181d; } text { fill: #e8eaee; } .good { fill: #57c173; } .bad { fill: #ff7b72; } .faint { fill: #9aa4b2; } }
  @media (prefers-reduced-motion: no-preference) { text { animation: show 1ms linear both; } }
  @keyframes show { from { visibility: hidden; } to { visibility: visible; } }
"""


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    lines, now, status = [], 0.4, 0  # (seconds, markup)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "fix.lua").write_text(SCRIPT)
        subprocess.run([tool, "keygen", "-o", "keys", "-q", "--profile", "modern"], cwd=folder, check=True)
        for command in COMMANDS:
            lines.append((now, f'<tspan class="faint">$ </tspan><tspan class="typed">{html.escape(command)}</tspan>'))
            now += 0.9
            run = subprocess.run(["bash", "-c", f"(exit {status}); {command}"], cwd=folder, env={"PATH": f"{tool.parent}:/usr/bin:/bin"},
                                 text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            status = run.returncode
            for line in html.escape(run.stdout).splitlines():
                line = re.sub("^(ok|packed)(?=  )", r'<tspan class="good">\1</tspan>', line)
                lines.append((now, re.sub("^(malformed|bad-signature)(?=  )", r'<tspan class="bad">\1</tspan>', line)))
                now += 0.15
            now += 0.8
    body = "\n".join(f'<text x="16" y="{place * LINE}" style="animation-delay: {when:.2f}s">{markup}</text>'
                     for place, (when, markup) in enumerate(lines, 1))
    label = "A script is linted, packed and verified; then a byte is added to the envelope, and it is refused with exit status 10."
    (ROOT / "docs/recording.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * 9} {(len(lines) + 1) * LINE}" role="img" aria-label="{label}">\n'
        f'<style>{STYLE}</style>\n<rect class="back" width="100%" height="100%" rx="8"/>\n{body}\n</svg>\n')
    print("docs/recording.svg")


main()
