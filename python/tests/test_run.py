"""The same config gives the same bits from Python and from the program, and each reads the other's files."""

import json
import os
import subprocess
import warnings

import numpy as np
import pandas
import pytest
import slidemesh
from slidemesh import SlidingClassifier, SlidingRegressor

PROGRAM = os.environ["SLIDEMESH_PROGRAM"]
SMALL = {"data": {"rows": 300, "features": 6}, "network": {"graph": "ring", "nodes": 5}}

CONFIGS = {
    "the default method": {**SMALL, "stop": {"certified_gap": 1e-4}},
    "newton-sliding, by label": {**SMALL, "data": {**SMALL["data"], "split": "by-label"},
                                 "method": [{"name": "newton-sliding", "outer_steps": 40}]},
    "ipds": {**SMALL, "method": [{"name": "ipds", "outer_steps": 20, "R": 0.5, "inner": "cgs", "tolerance": 1e-3}]},
    "sampled": {**SMALL, "problem": {"mu": 0.5}, "seed": 3,
                "method": [{"name": "ipds", "outer_steps": 20, "gradients": "sampled", "c": 0.5}]},
    "restarted, bpcg": {**SMALL, "method": [{"name": "ipds-restarted", "outer_steps": 30, "inner": "bpcg"}]},
    "defw and dpg": {**SMALL, "method": [{"name": "defw", "outer_steps": 30}, {"name": "dpg", "outer_steps": 30}]},
    "least squares in a box": {**SMALL, "problem": {"loss": "least-squares",
                                                    "set": {"kind": "box", "lower": -0.5, "upper": 0.5}},
                               "method": [{"name": "nids", "outer_steps": 50}]},
    "huber, standardized": {**SMALL, "problem": {"loss": "huber", "delta": 0.5},
                            "data": {**SMALL["data"], "scaling": "standard", "intercept": True},
                            "method": [{"name": "pg-extra", "outer_steps": 50}]},
    "softmax": {**SMALL, "problem": {"loss": "softmax", "set": {"kind": "l2-ball", "radius": 3.0}},
                "method": [{"name": "ipds-vr", "outer_steps": 40}]},
    "own sets": {**SMALL, "node": [{"nodes": [0, 2], "set": {"kind": "linf-ball", "radius": 0.4}}],
                 "method": [{"name": "newton-sliding", "outer_steps": 30}]},
    "a target": {**SMALL, "stop": {"target_gap": 1e-3}, "method": [{"name": "ipds-vr"}]},
}


def toml(config):
    from slidemesh import _slidemesh

    return "\n".join(f"{key} = {_slidemesh.to_toml(value)}" for key, value in config.items()) + "\n"


def program(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 4), done.stderr
    return done


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.filterwarnings("ignore")
def test_the_same_bits(name, tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(toml(CONFIGS[name]))
    program("run", path, "--out", tmp_path / "program", "--quiet")
    slidemesh.run(path, out=tmp_path / "python")
    slidemesh.run(CONFIGS[name], out=tmp_path / "tree")
    expected = (tmp_path / "program" / "model.json").read_bytes()
    assert (tmp_path / "python" / "model.json").read_bytes() == expected
    assert (tmp_path / "tree" / "model.json").read_bytes() == expected


def test_changes_are_those_of_the_command_line(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(toml(CONFIGS["ipds"]))
    program("run", path, "--out", tmp_path / "a", "--quiet", "--set", "problem.mu=0.25",
            "--set", "method.outer_steps=7")
    slidemesh.run(path, {"problem.mu": 0.25, "method.outer_steps": 7}, out=tmp_path / "b")
    assert (tmp_path / "a" / "model.json").read_bytes() == (tmp_path / "b" / "model.json").read_bytes()


def test_results_of_the_program_are_read(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(toml(CONFIGS["defw and dpg"]))
    program("run", path, "--out", tmp_path / "a", "--quiet")
    result = slidemesh.load_result(tmp_path / "a")
    summary = json.loads((tmp_path / "a" / "summary.json").read_text())["runs"]
    assert [run.label for run in result.runs] == ["defw", "dpg"]
    assert result["defw"].costs.calls == summary[0]["data_oracle_calls"]
    assert result["dpg"].objective == summary[1]["objective_at_average"]
    assert result["defw"].trace["step"][-1] == 30
    assert len(result.models) == 2
    page = slidemesh.report(result, out=tmp_path / "page.html", title="of Python's")
    program("report", tmp_path / "a", "--out", tmp_path / "other.html", "--title", "of Python's")
    assert page.read_bytes() == (tmp_path / "other.html").read_bytes()


def test_python_runs_are_resumed_by_the_program(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(toml({**SMALL, "output": {"checkpoint_every": 5},
                          "method": [{"name": "defw", "outer_steps": 200}]}))
    slidemesh.run(path, out=tmp_path / "a", callback=lambda record: record.step >= 50)
    assert slidemesh.load_result(tmp_path / "a")["defw"].status == "interrupted"
    program("run", path, "--out", tmp_path / "a", "--resume", "--quiet")
    slidemesh.run(path, out=tmp_path / "b")
    assert (tmp_path / "a" / "model.json").read_bytes() == (tmp_path / "b" / "model.json").read_bytes()


def test_results_show_themselves(tmp_path):
    result = slidemesh.run({**CONFIGS["defw and dpg"], "output": {"reference": True}}, out=tmp_path / "a")
    html = result._repr_html_()
    assert "<table>" in html and "<svg" in html and html.count("<polyline") == 2
    model = SlidingRegressor(certified_gap=1e-4).fit(np.eye(8), np.arange(8.0))
    assert "<svg" in model.result_._repr_html_() and "<table>" in model.trace_._repr_html_()
    import matplotlib

    matplotlib.use("Agg")
    axes = result.plot("communication_rounds")
    assert len(axes.lines) == 2 and axes.get_yscale() == "log"
    assert len(model.result_.plot().lines) == 1
    page = slidemesh.report(model, out=tmp_path / "page.html").read_text()
    assert "SlidingRegressor" in page


@pytest.fixture
def frame():
    random = np.random.default_rng(5)
    return pandas.DataFrame(random.standard_normal((120, 4)), columns=["age", "weight", "dose", "pulse"])


def predictions(model, frame, tmp_path):
    frame.to_csv(tmp_path / "new.csv", index=False)
    program("predict", model, tmp_path / "new.csv", "--out", tmp_path / "predicted.csv")
    return pandas.read_csv(tmp_path / "predicted.csv")


def test_the_program_predicts_with_an_estimators_model(frame, tmp_path):
    y = np.where(frame["dose"] + frame["age"] > 0.2, "ill", "well")
    model = SlidingClassifier(certified_gap=1e-4).fit(frame, y)
    model.save(tmp_path / "model.json")
    told = predictions(tmp_path / "model.json", frame, tmp_path)
    assert (told["prediction"] == model.predict(frame)).all()
    assert np.allclose(told["P(well)"], model.predict_proba(frame)[:, 1], atol=1e-12)
    loaded = slidemesh.load_model(tmp_path / "model.json")
    assert (loaded.predict(frame) == model.predict(frame)).all()
    assert loaded.feature_names == [*frame.columns, "intercept"] and loaded.certified_gap == model.certificate_.gap


def test_regression_and_several_classes(frame, tmp_path):
    value = frame["dose"] * 2 + 1
    model = SlidingRegressor(certified_gap=1e-6).fit(frame, value)
    model.save(tmp_path / "model.json")
    assert np.allclose(predictions(tmp_path / "model.json", frame, tmp_path)["prediction"], model.predict(frame))
    classes = np.digitize(value, [0.5, 1.5])
    several = SlidingClassifier(fit_intercept=False, certified_gap=1e-3).fit(frame, classes)
    several.save(tmp_path / "several.json")
    assert (predictions(tmp_path / "several.json", frame, tmp_path)["prediction"] == several.predict(frame)).all()
    assert (slidemesh.load_model(tmp_path / "several.json").predict(frame) == several.predict(frame)).all()


def test_models_of_the_program_predict_in_python(frame, tmp_path):
    frame.assign(label=np.where(frame["dose"] > 0.1, "up", "down")).to_csv(tmp_path / "rows.csv", index=False)
    path = tmp_path / "c.toml"
    path.write_text(toml({"data": {"source": "csv", "path": str(tmp_path / "rows.csv"), "label": "label",
                                   "scaling": "standard", "intercept": True},
                          "network": {"graph": "ring", "nodes": 4}, "stop": {"certified_gap": 1e-3}}))
    program("run", path, "--out", tmp_path / "a", "--quiet")
    model = slidemesh.load_model(tmp_path / "a")
    told = predictions(tmp_path / "a", frame, tmp_path)
    assert (model.predict(frame) == told["prediction"]).all()
    assert (model.predict(frame[frame.columns[::-1]]) == told["prediction"]).all()  # by name, as the program does
    with pytest.raises(ValueError, match="expected a column called 'dose', got none"):
        model.predict(frame.drop(columns="dose"))
    with pytest.raises(ValueError, match="expected numbers in column 0, got NaN"):
        model.predict(np.full((1, frame.shape[1]), np.nan))


def test_missing_numbers_and_words_are_taken_as_in_training(frame, tmp_path):
    rows = frame.assign(site=np.where(frame["age"] > 0, "north", "south"))
    rows.loc[::7, "dose"] = np.nan
    rows.loc[::9, "site"] = None
    rows.assign(label=np.where(frame["dose"] > 0.1, "up", "down")).to_csv(tmp_path / "rows.csv", index=False)
    path = tmp_path / "c.toml"
    path.write_text(toml({"data": {"source": "csv", "path": str(tmp_path / "rows.csv"), "label": "label", "missing": "mean",
                                   "categorical": "one-hot", "scaling": "standard"},
                          "network": {"graph": "ring", "nodes": 4}, "stop": {"certified_gap": 1e-3}}))
    program("run", path, "--out", tmp_path / "a", "--quiet")
    model = slidemesh.load_model(tmp_path / "a")
    told = predictions(tmp_path / "a", rows, tmp_path)
    scores = model.decision_function(rows)
    assert (model.predict(rows) == told["prediction"]).all()
    assert np.allclose(1 / (1 + np.exp(-scores)), told["P(up)"], atol=1e-12)
    with pytest.raises(ValueError, match="words that column 'site' is known to have, got 'west'"):
        model.predict(rows.assign(site="west"))


@pytest.mark.parametrize("method", [None, "ipds-vr", "defw"])
def test_fit_has_the_programs_bits(frame, method, tmp_path):
    value = frame["dose"] * 2 - frame["age"] + 1
    frame.assign(target=value).to_csv(tmp_path / "rows.csv", index=False, float_format="%.17g")
    path = tmp_path / "c.toml"
    path.write_text(toml({"problem": {"loss": "least-squares", "set": {"kind": "l1-ball", "radius": 2.5}},
                          "data": {"source": "csv", "path": str(tmp_path / "rows.csv"), "label": "target", "intercept": True},
                          "network": {"graph": "ring", "nodes": 4}, "stop": {"certified_gap": 1e-4},
                          "method": [{"name": method or "newton-sliding", "outer_steps": 200}]}))
    program("run", path, "--out", tmp_path / "a", "--quiet")
    theirs = json.loads((tmp_path / "a" / "model.json").read_text())["models"][0]["parameters"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slidemesh.NotReachedWarning)
        ours = SlidingRegressor(l1=2.5, nodes=4, certified_gap=1e-4, max_iter=200, method=method).fit(frame, value)
    assert [*ours.coef_, ours.intercept_] == theirs
