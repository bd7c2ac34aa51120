"""scikit-learn's manners, and what a run has beyond them."""

import json
import os
import pickle
import subprocess

import numpy as np
import pandas
import pytest
import scipy.optimize
import scipy.sparse
import slidemesh
from sklearn import datasets
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from slidemesh import MatrixCompleter, SlidingClassifier, SlidingRegressor, sets

random = np.random.default_rng(3)
X = random.standard_normal((240, 6))
TRUE = np.array([2.0, -1.0, 0.5, 0.0, 0.0, 0.0])
y = np.where(X @ TRUE + 0.3 + 0.5 * random.standard_normal(240) > 0, "yes", "no")
values = X @ TRUE + 0.3 + 0.1 * random.standard_normal(240)


def checks():
    for estimator in (SlidingClassifier(), SlidingRegressor()):
        for one, check in check_estimator(estimator, generate_only=True):
            yield pytest.param(one, check, id=f"{type(one).__name__}-{check.func.__name__}")


CHECKS = list(checks())


@pytest.mark.parametrize("estimator, check", CHECKS)
@pytest.mark.filterwarnings("ignore")
def test_all_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_there_are_as_many_checks_as_there_should_be():
    assert len(CHECKS) >= 97


def test_logistic_regression_is_logistic_regression():
    """A ball that the optimum lies inside of changes nothing: scikit-learn's unpenalized answer."""
    ours = SlidingClassifier(l2=50.0, certified_gap=1e-9).fit(X, y)
    theirs = LogisticRegression(penalty="none", tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


def test_least_squares_in_a_simplex():
    ours = SlidingRegressor(set=sets.simplex(), fit_intercept=False, certified_gap=1e-8).fit(X, values)
    best = scipy.optimize.minimize(lambda x: ((X @ x - values) ** 2).sum(), np.full(6, 1 / 6), bounds=[(0, 1)] * 6,
                                   constraints={"type": "eq", "fun": lambda x: x.sum() - 1}, tol=1e-12)
    assert np.allclose(ours.coef_, best.x, atol=1e-3)
    assert ours.intercept_ == 0.0


def test_softmax_and_its_probabilities():
    z = np.digitize(values + 2.0 * random.standard_normal(240), [-1.0, 1.0])
    ours = SlidingClassifier(l2=50.0, certified_gap=1e-7).fit(X, z)
    theirs = LogisticRegression(penalty="none", tol=1e-10, max_iter=10_000).fit(X, z)
    assert ours.coef_.shape == (3, 6) and ours.intercept_.shape == (3,)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 0.02
    assert np.allclose(ours.predict_proba(X).sum(axis=1), 1.0)


def test_smoothed_hinge_has_no_probabilities():
    model = SlidingClassifier("smoothed-hinge", gamma=0.5, certified_gap=1e-4).fit(X, y)
    assert model.score(X, y) > 0.9
    assert not hasattr(model, "predict_proba")
    with pytest.raises(ValueError, match="OneVsRest"):
        SlidingClassifier("smoothed-hinge").fit(X, np.arange(240) % 3)
    several = OneVsRestClassifier(SlidingClassifier("smoothed-hinge", certified_gap=1e-3))
    assert several.fit(X, np.digitize(values, [-1.0, 1.0])).score(X, np.digitize(values, [-1.0, 1.0])) > 0.7


def test_huber_forgives_outliers():
    spoiled = values.copy()
    spoiled[:20] += 50.0
    square = SlidingRegressor(l2=10.0, certified_gap=1e-5).fit(X, spoiled)
    huber = SlidingRegressor("huber", delta=0.5, l2=10.0, certified_gap=1e-5).fit(X, spoiled)
    assert abs(huber.intercept_ - 0.3) < abs(square.intercept_ - 0.3) / 4


@pytest.mark.parametrize("radius", [1.0, 10.0])
def test_an_answer_at_a_vertex_is_no_early_end(radius):
    """The first rows' models may have their minimum at a vertex; the others have not been asked by then."""
    X, y = datasets.load_diabetes(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = SlidingRegressor(l1=radius, certified_gap=1e-6).fit(X, y)
    assert model.result_.status == "target_reached" and model.costs_.passes >= 1.0
    assert model.certificate_.relative_gap <= 1e-6


def test_what_a_fit_tells():
    model = SlidingClassifier(l1=3.0, nodes=6, graph="star").fit(X, y)
    assert np.abs(model.coef_).sum() + np.abs(model.intercept_).sum() <= 3.0 + 1e-6
    assert model.certificate_.relative_gap <= 1e-7
    assert model.certificate_.lower_bound <= model.result_.objective
    assert model.costs_.passes == model.costs_.calls / 240
    assert model.costs_.bytes > 0 and model.costs_.hops >= model.costs_.rounds > 0
    assert model.trace_.rows > 1 and model.trace_["passes"][-1] <= model.costs_.passes
    assert list(model.trace_.to_pandas()["step"])[0] == 0
    assert model.result_.columns.shape == (7, 6)
    assert list(model.classes_) == ["no", "yes"] and model.n_iter_ > 0


def test_rows_belong_to_whom_they_belong():
    owner = np.array(["north", "south", "west"])[random.integers(0, 3, 240)]
    model = SlidingClassifier(graph="path").fit(X, y, node=owner)
    assert list(model.nodes_) == ["north", "south", "west"] and model.result_.columns.shape[1] == 3
    other = SlidingClassifier(graph="complete", nodes=5, split="by-label").fit(X, y)
    assert np.allclose(model.coef_, other.coef_, atol=0.02), "every row weighs the same, whoever has it"


def test_private_constraints():
    owner = np.arange(240) % 4
    loose, tight = sets.l2_ball(5.0), sets.box(lower=-0.5, upper=5.0)
    model = SlidingRegressor(set=[loose, loose, tight, loose], certified_gap=1e-4).fit(X, values, node=owner)
    assert model.coef_.min() >= -0.5 - 1e-3


def test_sample_weights_are_repeated_rows():
    weights = random.integers(0, 4, 240)
    weighted = SlidingRegressor(l2=10.0, certified_gap=1e-9).fit(X, values, sample_weight=weights)
    repeated = SlidingRegressor(l2=10.0, certified_gap=1e-9).fit(np.repeat(X, weights, axis=0),
                                                                  np.repeat(values, weights))
    assert np.allclose(weighted.coef_, repeated.coef_, atol=1e-4)


def test_warm_start_goes_on():
    model = SlidingClassifier(l1=3.0, warm_start=True)
    first = model.fit(X, y).costs_
    again = model.fit(X, y).costs_
    assert again.rounds < first.rounds


def test_pandas_names():
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = SlidingClassifier(certified_gap=1e-3).fit(frame, pandas.Series(y))
    assert list(model.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("fedcba")])


def test_pickle_clone_pipeline_grid():
    model = SlidingClassifier(set=sets.l1_ball(3.0), graph=slidemesh.graphs.star(4), certified_gap=1e-4).fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    assert (back.decision_function(X) == model.decision_function(X)).all()
    assert back.certificate_ == model.certificate_ and back.costs_ == model.costs_
    assert clone(model).get_params()["set"] == model.set
    pipeline = make_pipeline(StandardScaler(), SlidingClassifier(certified_gap=1e-4))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    grid = GridSearchCV(pipeline, {"slidingclassifier__l1": [0.1, 5.0]}, cv=3, n_jobs=2).fit(X, y)
    assert grid.best_params_ == {"slidingclassifier__l1": 5.0}


def test_dense_and_sparse_rows_agree():
    thin = np.where(random.random((240, 6)) < 0.5, X, 0.0)
    dense = SlidingClassifier(certified_gap=1e-8).fit(thin, y)
    sparse = SlidingClassifier(certified_gap=1e-8).fit(scipy.sparse.csr_matrix(thin), y)
    assert np.allclose(dense.coef_, sparse.coef_, atol=1e-3)
    assert np.allclose(sparse.decision_function(scipy.sparse.csr_matrix(thin)), sparse.decision_function(thin))


def test_matrix_completion():
    draw = np.random.default_rng(5)  # its own, whichever tests ran before
    whole = draw.standard_normal((30, 2)) @ draw.standard_normal((2, 20))
    known = np.where(draw.random(whole.shape) < 0.8, whole, np.nan)
    radius = np.linalg.norm(whole, "nuc")
    model = MatrixCompleter(nuclear=radius, certified_gap=1e-4).fit(known)
    hidden = np.isnan(known)
    assert np.sqrt(((model.completed_ - whole)[hidden] ** 2).mean()) < 0.3 * whole[hidden].std()
    filled = model.transform(known)
    assert np.array_equal(filled[~hidden], whole[~hidden])
    assert np.allclose(model.predict([[0, 1], [2, 3]]), model.completed_[[0, 2], [1, 3]])
    stored = scipy.sparse.csr_matrix(np.where(hidden, 0.0, whole))
    assert np.allclose(MatrixCompleter(nuclear=radius, certified_gap=1e-4).fit(stored).completed_, model.completed_)
    assert model.certificate_.relative_gap <= 1e-4 and model.costs_.passes > 0
    with pytest.raises(ValueError, match="known"):
        MatrixCompleter().fit(np.full((3, 3), np.nan))


def test_a_frame_of_a_matrix_keeps_its_names(tmp_path):
    whole = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 2.0])
    frame = pandas.DataFrame(whole.copy(), index=["Zoë", "ada", "bob", "çem"], columns=["tea", "milk", "figs"])
    frame.iloc[1, 2] = np.nan
    model = MatrixCompleter(nuclear=np.linalg.norm(whole), nodes=3, certified_gap=1e-3).fit(frame)
    assert model.row_names_in_.tolist() == list(frame.index) and model.feature_names_in_.tolist() == list(frame.columns)
    assert model.predict([["ada", "figs"]]) == model.predict([[1, 2]]) == model.completed_[1, 2]
    with pytest.raises(ValueError, match="names of the frame or numbers from 0 to 3, got 'eve'"):
        model.predict([["eve", "tea"]])
    turned = frame[["figs", "tea", "milk"]]  # another frame's holes would be filled with other entries
    with pytest.raises(ValueError, match="expected the frame's columns as in fit and in its order"):
        model.transform(turned)
    assert np.allclose(model.transform(turned.reindex(columns=model.feature_names_in_)), model.transform(frame))
    with pytest.raises(ValueError, match="got some twice"):
        MatrixCompleter().fit(frame.rename(index={"ada": "bob"}))
    model.save(tmp_path / "model.json")
    (tmp_path / "asked.csv").write_text("row,col\nada,figs\nZoë,tea\n")
    done = subprocess.run([os.environ["SLIDEMESH_PROGRAM"], "predict", "model.json", "asked.csv", "--json"], cwd=tmp_path,
                          capture_output=True, text=True, check=True)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["row"], line["column"]) for line in said] == [("ada", "figs"), ("Zoë", "tea")]
    assert [line["prediction"] for line in said] == model.predict([["ada", "figs"], ["Zoë", "tea"]]).tolist()
    read = slidemesh.load_model(tmp_path / "model.json")
    assert read.row_names == ["Zoë", "ada", "bob", "çem"] and read.coef.shape == (4, 3)
    plain = MatrixCompleter(nuclear=np.linalg.norm(whole), nodes=3, certified_gap=1e-3).fit(frame.to_numpy())
    assert not hasattr(plain, "row_names_in_") and np.array_equal(plain.completed_, model.completed_)


def test_a_model_is_saved_as_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    model = SlidingClassifier(l1=5.0, certified_gap=1e-3).fit(X, y)
    model.save(tmp_path / "m.onnx")
    model.save(tmp_path / "model.json")
    slidemesh.export_onnx(tmp_path, tmp_path / "n.onnx")
    assert (tmp_path / "m.onnx").read_bytes() == (tmp_path / "n.onnx").read_bytes()
    onnx.checker.check_model(onnx.load(str(tmp_path / "m.onnx")), full_check=True)


def test_a_free_intercept_is_not_the_sets_business(tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    with pytest.warns(UserWarning, match="no room for an intercept of 152.1"):
        narrow = SlidingRegressor(l1=100.0).fit(X, y)
    assert narrow.score(X, y) < 0.0
    free = SlidingRegressor(l1=100.0, fit_intercept="free").fit(X, y)
    assert free.score(X, y) > 0.05
    assert np.abs(free.coef_).sum() <= 100.0 + 1e-6
    assert abs(free.intercept_ - y.mean()) < 1.0  # columns are centred
    free.save(tmp_path / "model.json")
    assert slidemesh.load_model(tmp_path / "model.json").predict(X) == pytest.approx(free.predict(X))
    X, y = datasets.load_wine(return_X_y=True)
    model = SlidingClassifier(l1=1.0, fit_intercept="free").fit(StandardScaler().fit_transform(X) + 5.0, y)
    assert np.abs(model.coef_).sum() <= 1.0 + 1e-6 < np.abs(model.intercept_).sum()
    with pytest.raises(ValueError, match='fit_intercept: expected True, False or "free", got \'fre\''):
        SlidingRegressor(fit_intercept="fre").fit(X, y)
