"""What `verbose=1` shows: a bar by tqdm where that is installed, else a line on stderr now and then."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Mapping, Optional

from ._result import Record

Callback = Callable[[Record], Any]


class Progress:
    def __init__(self, rows: int) -> None:
        self._rows = max(rows, 1)
        self._next = 0.0
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm

            self._bar = tqdm(unit=" steps", desc="slidemesh", leave=True)
        except ImportError:
            pass

    def __call__(self, record: Mapping[str, Any]) -> None:
        gap, value = record["certified_gap"], record["objective_at_average"]
        text = (f"F {'-' if value is None else format(value, '.6g')}, "
                f"gap {'-' if gap is None else format(gap, '.1e')}, "
                f"{record['data_oracle_calls'] / self._rows:.2f} passes, {record['communication_rounds']} rounds")
        if self._bar is not None:
            self._bar.update(record["step"] - self._bar.n)
            self._bar.set_postfix_str(text)
        elif time.monotonic() >= self._next or record["status"] != "running":
            self._next = time.monotonic() + 1.0
            print(f"step {record['step']}: {text}", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def listener(callback: Optional[Callback], progress: Optional[Progress]) -> Optional[Callable[[dict[str, Any]], bool]]:
    """What the core calls with every record: true ends the run. None where nobody listens."""
    if callback is None and progress is None:
        return None
    if callback is not None and not callable(callback):
        raise TypeError(f"callback: expected a function of a record, got {type(callback).__name__}")

    def on_record(fields: dict[str, Any]) -> bool:
        if progress is not None:
            progress(fields)
        return bool(callback(Record(fields))) if callback is not None else False

    return on_record
