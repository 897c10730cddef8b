"""Configuration of Sphinx for the documentation site. `docs/site/build.py` calls it."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent

project = "wastenot"
html_title = "wastenot"
language = "en"
root_doc = "index"
extensions = ["myst_parser"]

# The pages are the Markdown that a repository shows: no directives but the navigation that pages.py writes.
myst_heading_anchors = 6
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # code in which "…" stands for what is left out

html_theme = "furo"
templates_path = [str(HERE / "templates")]
html_favicon = str(HERE / "static" / "icon.svg")
html_static_path = [str(HERE / "static")]
html_css_files = ["style.css"]
html_theme_options = {
    # The colours of the browser (web/ui, tokens.css).
    "light_css_variables": {"color-brand-primary": "#1a5ca8", "color-brand-content": "#1a5ca8"},
    "dark_css_variables": {"color-brand-primary": "#84b9f2", "color-brand-content": "#84b9f2"},
}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
