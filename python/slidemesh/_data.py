"""From arrays to tables of rows, without a copy where that can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _slidemesh


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr")


def _require_summable(numbers: np.ndarray) -> None:
    largest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
    if not np.isfinite(largest * largest * max(numbers.size, 1)):
        raise ValueError("X: expected numbers whose squares can be summed, got an overflow: scale the columns")


def make_table(X: Any, labels: np.ndarray) -> _slidemesh.Table:
    """Rows as the core reads them. float64 that is C-contiguous, and CSR of it, stay where they are."""
    labels = np.ascontiguousarray(labels, dtype=np.float64)
    if is_sparse(X):
        rows = X.tocsr()
        rows.check_format(full_check=True)  # SciPy's own functions trust it, and crash where it is broken
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        _require_summable(rows.data)
        return _slidemesh.Table.sparse(np.ascontiguousarray(rows.data, dtype=np.float64),
                                       np.ascontiguousarray(rows.indices, dtype=np.int32), rows.indptr, rows.shape[1],
                                       labels)
    values = np.ascontiguousarray(X, dtype=np.float64)
    _require_summable(values)
    return _slidemesh.Table.dense(values, labels)
