"""What every fitted estimator says of its training."""

from __future__ import annotations

from typing import Optional

from sklearn.utils.validation import check_is_fitted

from ._result import Certificate, Costs, Result, Table


class WithResult:
    """The attributes that an estimator reads off its `result_`."""

    result_: Result

    @property
    def certificate_(self) -> Optional[Certificate]:
        check_is_fitted(self)
        return self.result_.certificate

    @property
    def costs_(self) -> Costs:
        check_is_fitted(self)
        return self.result_.costs

    @property
    def trace_(self) -> Table:
        check_is_fitted(self)
        return self.result_.trace
