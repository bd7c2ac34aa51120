"""A wheel, offline: python3 -m build --no-isolation --wheel python

The extension is built by CMake from the repository that this directory is in, or taken from SLIDEMESH_EXTENSION, the
path of one that is built already. SLIDEMESH_CMAKE_ARGS has further arguments for CMake, SLIDEMESH_BUILD_DIR says where
it builds.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
# The same files make the same wheel, whenever that is.
os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")


def version():
    if "SLIDEMESH_VERSION" in os.environ:
        return os.environ["SLIDEMESH_VERSION"]
    return re.search(r"project\(slidemesh VERSION ([0-9.]+)", (HERE.parent / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        built = os.environ.get("SLIDEMESH_EXTENSION")
        shutil.copy2(built if built else self.by_cmake(), target)

    def by_cmake(self):
        build = Path(os.environ.get("SLIDEMESH_BUILD_DIR", self.build_temp)).resolve()
        # A wheel runs in one process: no MPI, and none of its libraries.
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DSLIDEMESH_PYTHON=ON", "-DSLIDEMESH_BUILD_TESTS=OFF",
                   "-DSLIDEMESH_BUILD_EXAMPLES=OFF", "-DSLIDEMESH_MPI=OFF", "-DSLIDEMESH_PEERS=OFF"]
        options += os.environ.get("SLIDEMESH_CMAKE_ARGS", "").split()
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        subprocess.run(["cmake", "-S", str(HERE.parent), "-B", str(build), *options], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "slidemesh_python", "--parallel"], check=True)
        return next((build / "python" / "slidemesh").glob("_slidemesh*.so"))


setup(version=version(), ext_modules=[Extension("slidemesh._slidemesh", sources=[])],
      cmdclass={"build_ext": CMakeBuild})
