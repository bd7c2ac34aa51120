"""The documentation site: Sphinx with MyST over the pages of docs/, offline. scripts/make-site builds it."""

project = "slidemesh"
copyright = "The slidemesh authors"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["site"]
html_theme = "furo"
html_title = "slidemesh"
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
highlight_language = "none"  # listings without a language are what the program prints
