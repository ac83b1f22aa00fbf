#!/usr/bin/env python3
"""The checks of tools/ find what they are for. Each runs in a small tree of its own, made for it."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
import mutate  # noqa: E402

ROW = {"kernel": "skin_lbs", "mesh": "grid", "vertices": 1000, "joints": 4, "influences": 2.5, "threads": 1, "backend": "cpu",
       "target": "AVX3", "ns_per_vertex": 2.718, "ratio_plain": 5.04, "ratio_eigen": None}


class Tree(unittest.TestCase):
    """A folder with one of the tools in it, and what a test writes."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, name):
        return (self.folder / name).read_text()

    def run_tool(self, name, *arguments):
        (self.folder / "tools").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tools" / name, self.folder / "tools" / name)
        done = subprocess.run([sys.executable, self.folder / "tools" / name, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class CheckFigures(Tree):
    def setUp(self):
        super().setUp()
        twice = dict(ROW, threads=2, ns_per_vertex=1.5)
        other = dict(ROW, target="AVX2", ns_per_vertex=10.4, ratio_plain=1.9)
        record = {"machine": {"words": "a machine", "simd_target": "AVX3"}, "rows": [ROW, twice, other]}
        self.write("bench/results.json", json.dumps(record))

    def test_agrees(self):
        self.write("README.md", "<!--= ns skin_lbs/grid -->2.7<!--/--> ns, <!--= us skin_lbs/grid -->2.7<!--/--> µs,\n"
                                "<!--= ratio_plain skin_lbs/grid skin_lbs/grid:AVX2 -->1.9 to 5.0<!--/--> times,\n"
                                "<!--= ns skin_lbs/grid / ns skin_lbs/grid@2 -->1.8<!--/-->, <!--= target -->AVX3<!--/-->,\n"
                                "<!--= ns skin_lbs/grid:AVX2 -->10<!--/-->, <!--= machine -->a machine<!--/-->\n")
        self.assertEqual(self.run_tool("check_figures.py"), (0, "7 figures are those of bench/results.json\n"))

    def test_differs(self):
        self.write("docs/page.md", "text\n<!--= ns skin_lbs/grid -->3.4<!--/-->\n")
        status, said = self.run_tool("check_figures.py")
        self.assertEqual(status, 1)
        self.assertIn("docs/page.md:2: says '3.4', the record '2.7'", said)
        self.assertEqual(self.run_tool("check_figures.py", "--write")[0], 0)
        self.assertIn("-->2.7<!--/-->", self.read("docs/page.md"))
        self.assertEqual(self.run_tool("check_figures.py")[0], 0)

    def test_tables(self):
        self.write("README.md", "<!--= table\ncolumn: ns = ns %\ncolumn: × Eigen = ratio_eigen %\n"
                                "row: the grid = skin_lbs/grid\n-->?<!--/-->")
        self.assertEqual(self.run_tool("check_figures.py", "--write")[0], 0)
        self.assertIn("-->\n| | ns | × Eigen |\n|---|---|---|\n| the grid | 2.7 |  |\n<!--/-->", self.read("README.md"))

    def test_asks_for_what_is_not_there(self):
        self.write("README.md", "<!--= ns skin_lbs/other -->1<!--/--> <!--= ratio_eigen skin_lbs/grid -->1<!--/-->"
                                "<!--= ns -->1<!--/-->")
        status, said = self.run_tool("check_figures.py")
        self.assertEqual(status, 1)
        self.assertIn("no row 'skin_lbs/other'", said)
        self.assertIn("'skin_lbs/grid' has no 'ratio_eigen'", said)
        self.assertIn("'ns' is not FIELD ROW", said)

    def test_times_without_a_mark(self):
        self.write("README.md", "It takes 3 ns here.\n<!--= once -->4 ns<!--/--> there.\n")
        self.write("include/flexor/x.h", "/// Cost    75 us\n")
        status, said = self.run_tool("check_figures.py")
        self.assertEqual(status, 1)
        self.assertIn("README.md:1: a time without a mark", said)
        self.assertIn("include/flexor/x.h:1: a measured time", said)
        self.assertIn("2 findings", said)


class CheckDocs(Tree):
    def setUp(self):
        super().setUp()
        self.write("Makefile", "test: ## runs\n")
        self.write("CMakePresets.json", '{"configurePresets": [{"name": "release"}]}')
        self.write("CMakeLists.txt", "option(FLEXOR_FAST)\nfind_package(hwy REQUIRED)\n")
        self.write("tools/setup", 'packages="g++ libhwy-dev"\n')
        self.write("docs/dependencies.md", "| library |\n|---|\n| Highway (`libhwy-dev`) |\n")
        self.write("src/core/file.cc", "class AtomicFile {};  // FLEXOR_FAST\n")
        self.write("tests/core/file_test.cc", "TEST(FileTest, IsWhole) {}\n")

    def findings(self, text, *arguments):
        self.write("docs/page.md", text)
        status, said = self.run_tool("check_docs.py", *arguments)
        lines = said.strip().split("\n")
        self.assertEqual(status, 0 if lines[-1] == "the documents agree with the tree" else 1)
        return lines[:-1]

    def test_agrees(self):
        self.assertEqual(self.findings(
            "# A page\n[it](page.md#a-page) `src/core/file.cc` `src/core` `src/*/file.cc` `AtomicFile` `FileTest.IsWhole`\n"
            "`FLEXOR_FAST` `make test` [away](https://example.org) `src/<module>/x.cc`\n"), [])

    def test_what_is_not_there(self):
        for text, said in (("[it](other.md)", "leads to 'other.md'"), ("[it](page.md#part)", "no heading for '#part'"),
                           ("`src/core/other.cc`", "'src/core/other.cc'"), ("`AtomicFolder`", "'AtomicFolder'"),
                           ("see FileTest.IsEmpty", "'FileTest.IsEmpty'"), ("`FLEXOR_SLOW`", "'FLEXOR_SLOW'"),
                           ("`make tests`", "'make tests'"), ("`cmake --preset fast`", "'fast'")):
            found = self.findings(text)
            self.assertEqual(len(found), 1, (text, found))
            self.assertIn(said, found[0])

    def test_commands(self):
        command = self.folder / "flexor"
        command.write_text('#!/bin/sh\n[ "$1" = --help ] && { echo "  bake       deforms"; exit; }\necho "  -o,--output FILE  --clip NAME"\n')
        command.chmod(0o755)
        self.assertEqual(self.findings("`flexor bake x --clip 0 -o y`", "--command", str(command)), [])
        for text, said in (("`flexor boil x`", "'flexor boil'"), ("    flexor bake x --clap 0\n", "'flexor bake --clap'"),
                           ("`--clap 3`", "'--clap'")):
            found = self.findings(text, "--command", str(command))
            self.assertEqual(len(found), 1, (text, found))
            self.assertIn(said, found[0])

    def test_dependencies(self):
        self.write("tools/setup", 'packages="g++ libtbb-dev"\n')
        self.write("cmake/x.cmake", "find_package(TBB)\n")
        found = "\n".join(self.findings(""))
        self.assertIn("leaves out 'libtbb-dev'", found)
        self.assertIn("names 'libhwy-dev', which tools/setup does not install", found)
        self.assertIn("finds as 'TBB'", found)


class Mutants(unittest.TestCase):
    def changed(self, text):
        """What each mutant makes of a source."""
        with tempfile.TemporaryDirectory() as folder:
            tree, mutate.TREE = mutate.TREE, pathlib.Path(folder)
            self.addCleanup(setattr, mutate, "TREE", tree)
            (mutate.TREE / "x.cc").write_text(text)
            return {mutate.shown(m)[1].strip() for m in mutate.mutants_of("x.cc")}

    def test_operators(self):
        self.assertEqual(self.changed("a < b;\n"), {"a <= b;", "a >= b;"})
        self.assertEqual(self.changed("x = -y + z;\n"), {"x = y + z;", "x = -y - z;"})
        self.assertEqual(self.changed("if (a && !b) {\n"), {"if (a || !b) {", "if (a && b) {", "if (!(a && !b)) {"})
        self.assertEqual(self.changed("k = 1e-6;\n"), {"k = 1e-05;", "k = 1e-07;"})
        self.assertEqual(self.changed("k = 3u;\n"), {"k = 4u;", "k = 2u;"})
        self.assertEqual(self.changed("k = true;\n"), {"k = false;"})
        self.assertEqual(self.changed("{\n  Add(x);\n}\n"), {";"})

    def test_leaves_alone_what_is_no_code(self):
        for text in ('s = "a < b && 1";\n', "f();  // a + 1\n", "#define K 1\n", "static_assert(a == 1);\n", "v.reserve(2 * n);\n",
                     "std::vector<int> v;\n", "char c = '+';\n"):
            self.assertEqual(self.changed(text), set(), text)


if __name__ == "__main__":
    unittest.main()
