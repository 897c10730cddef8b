"""Build the documentation site into a folder: `python -m docs.site.build FOLDER`.

Exit 1 with a line for each broken link, page without a place in the navigation, or other warning of the generator; the
folder is then left as it was. The same sources give the same bytes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from docs.site.pages import ROOT, SiteError, write_sources

UNUSED = (
    ".buildinfo",
    "objects.inv",
    "_sources",
    "_static/debug.css",
    "_static/scripts/furo.js.map",
    "_static/styles/furo.css.map",
    "_static/styles/furo-extensions.css.map",
)
"""Files that the generator and its theme write and that no page loads."""

INCLUDED = ("sphinx", "furo", "sphinx-basic-ng", "pygments", "accessible-pygments", "snowballstemmer")
"""Packages whose scripts and styles are files of the site."""
LICENCES = "_static/licences.txt"


def build_site(target: Path) -> None:
    """Replace `target` by the built site."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="site-", dir=target.parent) as temporary:
        sources, output = Path(temporary, "sources"), Path(temporary, "site")
        sources.mkdir()
        write_sources(sources)
        generate(sources, output, Path(temporary, "doctrees"))
        for name in UNUSED:
            path = output / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        (output / LICENCES).write_text(licences(), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        output.rename(target)


def generate(sources: Path, output: Path, doctrees: Path) -> None:
    """Run Sphinx; every warning is an error."""
    options = ["-q", "-W", "--keep-going", "--color" if sys.stderr.isatty() else "--no-color", "-b", "html"]
    folders = ["-c", str(Path(__file__).parent), "-d", str(doctrees), str(sources), str(output)]
    # A process of its own: Sphinx keeps state in its modules, and follows the environment for languages.
    command = [sys.executable, "-m", "sphinx", *options, *folders]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SiteError((done.stderr or done.stdout).replace(f"{sources}/", "").strip())


def licences() -> str:
    """The licences of what other projects contribute to the pages."""
    texts = ["Scripts and styles of these pages are of other projects.\n"]
    for name in INCLUDED:
        package = distribution(name)
        found = [f for f in package.files or [] if f.name.upper().startswith(("LICENSE", "COPYING"))]
        if not found:
            raise SiteError(f"{name}: no text of its licence in the installed package")
        for file in sorted(found, key=str):
            text = Path(str(package.locate_file(file))).read_text(encoding="utf-8")
            texts.append(f"{'-' * 78}\n{package.name} {package.version}\n\n{text.strip()}\n")
    return "\n".join(texts)


def main(arguments: list[str]) -> int:
    """Command line; returns the exit status."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        build_site(ROOT / arguments[0])
    except SiteError as error:
        print(*(f"docs: {line}" for line in str(error).splitlines()), sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
