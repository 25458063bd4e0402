"""Code: classes, methods, statements; broken files too."""

from pathlib import Path

import pytest

from stores.documents.document import ParsedDocument
from stores.documents.parsing import parse


def read(tmp_path: Path, name: str, text: str) -> ParsedDocument:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return parse(path)


def by_symbol(document: ParsedDocument) -> dict[str | None, str]:
    found: dict[str | None, str] = {}
    for block in document.blocks:
        key = block.location.symbol
        found[key] = found.get(key, "") + document.text[block.start : block.end] + "\n"
    return found


def assert_nothing_is_lost(document: ParsedDocument) -> None:
    held = "".join(document.text[block.start : block.end] for block in document.blocks)
    assert "".join(held.split()) == "".join(document.text.split())
    for block in document.blocks:
        first, last = block.location.lines or (0, 0)
        assert first == document.text.count("\n", 0, block.start) + 1
        assert last == document.text.count("\n", 0, block.end) + 1


JAVA = """package com.example;

import java.util.List;

/** 用户数据访问。 */
@Repository
public class UserDao extends Base {

    private int 计数 = 0; // 字段

    /** 按名字查找。 */
    @Override
    public User findByName(String name) {
        return null;
    }

    public UserDao() { }

    enum Kind { A, B; int code() { return 1; } }

    static class Row {
        void fill() { }
    }
}

interface Finder { List<User> find(String name); }

record Point(int x, int y) { int sum() { return x + y; } }
"""


def test_java_blocks_follow_classes_and_methods(tmp_path: Path) -> None:
    document = read(tmp_path, "UserDao.java", JAVA)
    assert_nothing_is_lost(document)
    found = by_symbol(document)
    assert found["UserDao.findByName"].strip().startswith("/** 按名字查找。 */")
    assert "return null" in found["UserDao.findByName"]
    assert "计数" in found["UserDao"]
    assert {"UserDao.UserDao", "UserDao.Kind.code", "UserDao.Row.fill", "Finder.find", "Point.sum"} <= set(found)
    assert "import java.util.List" in found[None]
    (method,) = [block for block in document.blocks if block.location.symbol == "UserDao.findByName"]
    assert method.header.split("\n")[0] == "package com.example;"
    assert "public class UserDao extends Base" in method.header
    assert method.location.lines == (11, 15)


@pytest.mark.parametrize(
    "broken", ["    void cut( {\n        int a = ;\n", "    }}}} ???\n", '    String s = "open;\n']
)
def test_i12_a_broken_java_file_keeps_its_methods_and_all_its_text(tmp_path: Path, broken: str) -> None:
    lines = "".join(f"    void m{n}() {{\n        go({n});\n    }}\n\n" for n in range(5))
    document = read(tmp_path, "A.java", f"class A {{\n{lines}{broken}{lines.replace('m', 'k')}}}\n")
    assert_nothing_is_lost(document)
    assert any((block.location.symbol or "").endswith("m2") for block in document.blocks)


def test_i12_a_file_that_is_no_java_at_all_is_read_by_lines(tmp_path: Path) -> None:
    document = read(tmp_path, "A.java", "这不是代码\n$$$ ( {\n第三行\n")
    assert_nothing_is_lost(document)
    assert {block.kind for block in document.blocks} == {"code"}


def test_python_blocks_follow_classes_and_functions(tmp_path: Path) -> None:
    text = (
        '"""模块。"""\nimport os\n\n# about f\n@wraps\nasync def f(x):\n    return x\n\n'
        'class A(B):\n    """文档。"""\n    y = 1\n\n'
        "    @property\n    def g(self):\n        return 1\n\nif True:\n    def h():\n        pass\n\nprint(1)\n"
    )
    document = read(tmp_path, "a.py", text)
    assert_nothing_is_lost(document)
    found = by_symbol(document)
    assert found["f"].startswith("# about f\n@wraps")
    assert found["A.g"].strip().startswith("@property")
    assert "y = 1" in found["A"]
    assert "h" in found
    assert "print(1)" in found[None]
    (method,) = [block for block in document.blocks if block.location.symbol == "A.g"]
    assert "class A(B):" in method.header


@pytest.mark.parametrize("name", ["a.js", "a.mjs", "a.jsx", "a.ts"])
def test_javascript_blocks_follow_classes_and_functions(tmp_path: Path, name: str) -> None:
    text = (
        "import a from 'b';\n\nexport default class A extends B {\n  constructor() { this.x = '好'; }\n  go() { }\n}\n"
        "export function f() { }\nconst g = (a) => { return 1; };\nexports.h = function () { };\n"
    )
    document = read(tmp_path, name, text)
    assert_nothing_is_lost(document)
    assert {"A", "A.constructor", "A.go", "f", "g", "exports.h"} <= set(by_symbol(document))


def test_typescript_beyond_the_grammar_is_not_lost(tmp_path: Path) -> None:
    text = "interface User { name: string; }\n\nfunction f(x: number): string {\n  return `${x}`;\n}\n"
    assert_nothing_is_lost(read(tmp_path, "a.ts", text))


def test_sql_is_cut_after_statements_and_not_inside_strings(tmp_path: Path) -> None:
    text = (
        "-- 建表; 用户\nCREATE TABLE t (a INT, b TEXT DEFAULT ';');\n\n"
        "/* ; */ INSERT INTO t VALUES ('x;y'); -- 完; 了\n"
        "SELECT 1;"
    )
    document = read(tmp_path, "a.sql", text)
    assert_nothing_is_lost(document)
    assert [document.text[block.start : block.end].split()[0] for block in document.blocks] == ["--", "/*", "SELECT"]


@pytest.mark.parametrize("name", ["a.sh", "a.jsp", "a.tag"])
def test_scripts_and_pages_are_read_by_lines(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, name, "第一行\n\n<% int a = 1; %>\n")
    assert_nothing_is_lost(document)
    assert [block.location.lines for block in document.blocks] == [(1, 3)]
