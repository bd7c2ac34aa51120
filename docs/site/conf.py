"""The documentation site: Sphinx with MyST over the pages of docs/, offline. scripts/make-site builds it."""

import re

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

project = "slidemesh"
copyright = "The slidemesh authors"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["site"]
html_theme = "furo"
html_title = "slidemesh"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
pygments_style = "friendly"
highlight_language = "none"  # listings without a language are what the program prints

# What the side bar shows. It is put behind two pages as they are read, so that the files stay plain Markdown.
NAVIGATION = {
    "index": {
        "Start here": ["First steps <start>", "Examples <examples/README>", "Which method? <methods>", "Compare methods <compare>"],
        "How to": ["Data <data>", "Sets <sets>", "Losses <losses>", "Own functions <functions>", "Models: predict, evaluate <models>",
                   "Report and result files <report>", "Python <python>", "MPI <mpi>"],
        "Between organisations": ["For administrators <peers-admin>", "For owners of data <peers-data-owner>", "What a neighbour learns <privacy>",
                                  "Protocol <peers-protocol>"],
        "Reference": ["Config and exit codes <config>", "Certificate <certificate>", "newton-sliding", "ipds and its kin <ipds>", "Baselines <baselines>",
                      "Graphs <graphs>", "Symbols <notation>", "Packages <packages>"],
        "Background": ["Speed <speed>", "Robustness <robustness>", "The paper's experiments <reproduce>", "Decisions <decisions/README>"],
        "Extend it": [f"A {what} <adding-a-{what}>" for what in ("set", "loss", "graph", "method", "source", "transport")],
    },
    "examples/README": {"Examples": ["[a-z]*"]},
    "decisions/README": {"Decisions": ["[a-z]*"]},
}


def add_navigation(app, page, source):
    for caption, entries in NAVIGATION.get(page, {}).items():
        source[0] += "\n\n```{toctree}\n:hidden:\n:glob:\n:caption: " + caption + "\n\n" + "\n".join(entries) + "\n```\n"


def mathml(tex, inline):
    """Of a forge's `aligned` the rows alone: that is how the converter takes equations below each other."""
    text = tex2mathml(tex.replace("\\begin{aligned}", "").replace("\\end{aligned}", "").strip(), inline)
    text = re.sub(r"<mo>([‖∥])</mo>", r'<mo stretchy="false">\1</mo>', text)
    # An accent and an index of one letter: the converter takes both for limits, above and below.
    return re.sub(r"<munderover>\s*(<mi>.</mi>)\s*(.*?)\s*(<mo[^>]*>[ˆ~˜¯]</mo>)\s*</munderover>",
                  r"<msub><mover>\1\3</mover>\2</msub>", text, flags=re.S)


def visit_inline_math(translator, node):
    """Browsers draw MathML themselves: no script, no font, no network."""
    translator.body.append(mathml(node.astext(), inline=True))
    raise SkipNode


def visit_math(translator, node):
    translator.body.append('<div class="math">' + mathml(node.astext(), inline=False) + "</div>\n")
    raise SkipNode


def setup(app):
    app.connect("source-read", add_navigation)
    app.add_html_math_renderer("mathml", (visit_inline_math, None), (visit_math, None))
