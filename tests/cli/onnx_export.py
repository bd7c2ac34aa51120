#!/usr/bin/env python3
"""What `slidemesh export` writes is ONNX, by Debian's python3-onnx, and says what `predict` says.

    onnx_export.py --program PATH

There is no ONNX runtime in Debian 12, so that the handful of operators is computed here, by NumPy, from the graph as python3-onnx reads it.
Where OpenCV is installed, its reader of ONNX computes the same in single precision.
"""

import csv
import io
import json
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import program_case  # noqa: E402

try:
    import onnx
    import onnx.numpy_helper
    from sklearn import datasets
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

OPERATORS = {
    "Sub": lambda a, b: a - b,
    "Div": lambda a, b: a / b,
    "Add": lambda a, b: a + b,
    "MatMul": lambda a, b: a @ b,
    "Sigmoid": lambda a: np.where(a >= 0, 1 / (1 + np.exp(-np.abs(a))), np.exp(-np.abs(a)) / (1 + np.exp(-np.abs(a)))),
    "Softmax": lambda a, axis: np.exp(a - a.max(axis, keepdims=True)) / np.exp(a - a.max(axis, keepdims=True)).sum(axis, keepdims=True),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "ArgMax": lambda a, axis, keepdims: a.argmax(axis),
    "Greater": lambda a, b: a > b,
    "Squeeze": lambda a, axes: np.squeeze(a, tuple(axes)),
    "Cast": lambda a, to: a.astype(np.int64),
    "Gather": lambda a, where, axis: a[where],
}


def compute(model, features):
    """Every output of a graph, by name."""
    values = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
    values["features"] = features
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPERATORS[node.op_type](*(values[name] for name in node.input), **attributes)
    return {one.name: values[one.name] for one in model.graph.output}


class Export(program_case.ProgramCase):
    def train(self, table, loss, words=None, more=""):
        X, y = table.data[:150], table.target[:150]
        with open(self.directory / "t.csv", "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow([*(f"column {j}" for j in range(X.shape[1])), "y"])
            rows.writerows([*map(repr, map(float, x)), b if words is None else words[b]] for x, b in zip(X, y))
        (self.directory / "c.toml").write_text(
            f'[problem]\nloss = "{loss}"\nset = {{ kind = "l1-ball", radius = 20.0 }}\n[data]\npath = "t.csv"\nlabel = "y"\n{more}\n'
            '[network]\nnodes = 4\n[[method]]\nname = "newton-sliding"\nouter_steps = 30\n')
        self.run_program("run", "c.toml", "--out", "out", "--quiet", "--overwrite")
        return X

    def exported(self, *options):
        self.run_program("export", "out", "--onnx", "m.onnx", *options)
        model = onnx.load(str(self.directory / "m.onnx"))
        onnx.checker.check_model(model, full_check=True)
        return model

    def predicted(self):
        return list(csv.DictReader(io.StringIO(self.run_program("predict", "out", "t.csv").stdout)))

    def test_numbers(self):
        for more in ("", 'scaling = "standard"\nintercept = "free"', 'scaling = "max-abs"'):
            X = self.train(datasets.load_diabetes(), "least-squares", more=more)
            got = compute(self.exported(), X)["prediction"]
            expected = np.array([[float(row["prediction"])] for row in self.predicted()])
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)

    def test_two_classes(self):
        for loss in ("logistic", "smoothed-hinge"):
            X = self.train(datasets.load_breast_cancer(), loss, words=["ill", "well"], more='scaling = "standard"\nintercept = true')
            got = compute(self.exported(), X)
            said = self.predicted()
            self.assertEqual([b.decode() if isinstance(b, bytes) else b for b in got["label"]], [row["prediction"] for row in said])
            name, column = ("probabilities", "P(well)") if loss == "logistic" else ("score", "score")
            np.testing.assert_allclose(got[name][:, -1], [float(row[column]) for row in said], rtol=1e-12, atol=1e-15)

    def test_several_classes(self):
        X = self.train(datasets.load_iris(), "softmax")
        model = self.exported()
        got = compute(model, X)
        said = self.predicted()
        self.assertEqual(got["label"].tolist(), [int(row["prediction"]) for row in said])
        np.testing.assert_allclose(got["probabilities"], [[float(row[f"P({c})"]) for c in range(3)] for row in said], rtol=1e-12, atol=1e-15)
        names = {entry.key: entry.value for entry in model.metadata_props}["feature_names"]
        self.assertEqual(json.loads(names), [f"column {j}" for j in range(4)])

    def test_single_precision(self):
        X = self.train(datasets.load_breast_cancer(), "logistic", more='scaling = "standard"\nintercept = true').astype(np.float32)
        got = compute(self.exported("--single"), X)["probabilities"]
        self.assertEqual(got.dtype, np.float32)
        expected = np.array([float(row["P(1)"]) for row in self.predicted()])
        np.testing.assert_allclose(got[:, 1], expected, atol=1e-4)
        try:
            import cv2
        except ImportError:
            return
        onnx.utils.extract_model(str(self.directory / "m.onnx"), str(self.directory / "p.onnx"), ["features"], ["linear"])
        network = cv2.dnn.readNetFromONNX(str(self.directory / "p.onnx"))
        for row, p in zip(X[:20], expected):
            network.setInput(row[None, :])
            self.assertAlmostEqual(1 / (1 + np.exp(-float(network.forward().ravel()[0]))), p, delta=1e-4)

    def test_a_matrix_has_nothing_to_compute(self):
        (self.directory / "c.toml").write_text(
            '[problem]\nloss = "matrix-completion"\nset = { kind = "nuclear-ball", radius = 5.0 }\n[data]\nmatrix_rows = 6\nmatrix_columns = 5\n'
            'rank = 1\nrows = 20\n[network]\nnodes = 4\n[[method]]\nname = "newton-sliding"\nouter_steps = 3\n')
        self.run_program("run", "c.toml", "--out", "out", "--quiet")
        self.assertEqual(self.run_program("export", "out", "--onnx", "m.onnx", codes=(2,)).stderr,
                         "slidemesh: error: onnx: expected a model that computes something from features, got a completed matrix\n")
        self.assertFalse((self.directory / "m.onnx").exists())


if __name__ == "__main__":
    program_case.main(__doc__)
