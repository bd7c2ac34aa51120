"""Pictures of traces: SVG for notebooks, matplotlib where it is installed."""

from __future__ import annotations

import html
import math
from typing import Any, Mapping, Sequence

import numpy as np

_COLOURS = ["#1f6feb", "#d1495b", "#2e933c", "#8f5aa8", "#c17c00", "#00838f"]
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 560, 300, 64, 40, 14, 14


def gap_of(trace: Mapping[str, np.ndarray]) -> tuple[str, np.ndarray]:
    """The best measure of accuracy that a trace has, and its name."""
    for name, words in [("gap_at_average", "F(x) - F*"), ("certified_gap", "certified gap")]:
        if name in trace and np.isfinite(trace[name]).sum() > 1:
            return words, np.asarray(trace[name], dtype=float)
    for name, words in [("objective_at_average", "F(x) - best seen"), ("objective_estimate", "estimate of F - least")]:
        values = np.asarray(trace.get(name, []), dtype=float)
        if np.isfinite(values).sum() > 1:
            return words, values - np.nanmin(values)
    return "", np.full(len(trace["step"]), np.nan)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, (float, np.floating)):
            return "" if math.isnan(value) else f"{value:.6g}"
        return "" if value is None else html.escape(str(value))

    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def svg(runs: Sequence[tuple[str, Mapping[str, np.ndarray]]], x: str = "passes") -> str:
    """Accuracy against a column of the trace, the accuracy on a logarithmic scale; empty where there is nothing."""
    words = gap_of(runs[0][1])[0] if runs else ""
    lines = []
    for label, trace in runs:
        across, gap = np.asarray(trace[x], dtype=float), gap_of(trace)[1]
        good = np.isfinite(across) & np.isfinite(gap) & (gap > 0)
        if good.any():
            lines.append((label, across[good], np.log10(gap[good])))
    if not lines:
        return ""
    right = max(max(a.max() for _, a, _ in lines), 1e-12)
    low = math.floor(min(g.min() for _, _, g in lines))
    high = max(math.ceil(max(g.max() for _, _, g in lines)), low + 1)

    def at(a: float, g: float) -> tuple[float, float]:
        return (_LEFT + (_WIDTH - _LEFT - _RIGHT) * a / right,
                _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - g) / (high - low))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
             f'aria-label="{html.escape(words)} against {html.escape(x)}" font-family="sans-serif" font-size="11">']
    for decade in range(low, high + 1, max(1, (high - low) // 8)):
        left, y = at(0, decade)
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{decade}</text>')
    for tick in np.linspace(0, right, 5):
        place, y = at(tick, low)
        parts.append(f'<text x="{place:.1f}" y="{y + 16:.1f}" text-anchor="middle">{tick:.3g}</text>')
    for i, (label, across, gap) in enumerate(lines):
        colour = _COLOURS[i % len(_COLOURS)]
        points = " ".join("{:.1f},{:.1f}".format(*at(a, g)) for a, g in zip(across, gap))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
                     f'<text x="{_WIDTH - _RIGHT}" y="{_TOP + 12 + 14 * i}" text-anchor="end" fill="{colour}">'
                     f"{html.escape(label)}</text>")
    parts.append(f'<text x="{(_LEFT + _WIDTH) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">{html.escape(x)}</text>'
                 f'<text x="12" y="{_HEIGHT / 2}" transform="rotate(-90 12 {_HEIGHT / 2})" text-anchor="middle">'
                 f"{html.escape(words)}</text></svg>")
    return "".join(parts)


def summary_html(runs: Sequence[tuple[str, Mapping[str, Any], Mapping[str, np.ndarray]]]) -> str:
    """A table with a row per run and, below it, the chart."""
    columns = ["status", "objective", "certified_gap", "passes", "rounds", "hops", "bytes", "linear_oracle_calls",
               "seconds"]
    table = html_table(["", *columns], [[label, *(fields.get(name) for name in columns)] for label, fields, _ in runs])
    return table + svg([(label, trace) for label, _, trace in runs if trace])


def plot(runs: Sequence[tuple[str, Mapping[str, np.ndarray]]], x: str, ax: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot: expected matplotlib to be installed, got none") from error
    if ax is None:
        _, ax = plt.subplots()
    words = ""
    for label, trace in runs:
        words, gap = gap_of(trace)
        ax.semilogy(np.asarray(trace[x], dtype=float), np.where(gap > 0, gap, np.nan), label=label)
    ax.set_xlabel(x.replace("_", " "))
    ax.set_ylabel(words)
    ax.legend()
    return ax
