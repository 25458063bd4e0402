"""The example material agrees with itself, built files are current, and renaming keeps all of it true."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any, get_args

import nbformat
import pypdfium2
import pytest
import tree_sitter
import tree_sitter_java
from lxml import etree

from examples.build import SUFFIX, build
from examples.rename import Renaming, any_of, choose, rename, rename_question
from examples.vocabulary import FIGURES, NAMES
from nodes.state import Status

EXAMPLES = Path(__file__).parents[1] / "examples"
COURSE = EXAMPLES / "java-web-课程"
CASE = COURSE / "登录 案例"
POLICIES = EXAMPLES / "差旅制度"
BUILT = sorted(path.relative_to(EXAMPLES / "sources").with_suffix("") for path in EXAMPLES.rglob(f"*{SUFFIX}"))
DOCUMENTS = sorted(path for folder in (COURSE, POLICIES) for path in folder.rglob("*") if path.is_file())
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))
SEEDS = [1, 2, 3]


# --- reading ---


def pages_of(path: Path) -> list[str]:
    """The text of each page or slide (with notes) of a built file; one "page" for DOCX and text files."""
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as pdf:
            return [page.get_textpage().get_text_range() for page in pdf]
    if path.suffix == ".docx":
        return [_xml_text(path, "word/document.xml")]
    if path.suffix == ".pptx":
        with zipfile.ZipFile(path) as archive:
            slides = sum(bool(re.fullmatch(r"ppt/slides/slide\d+\.xml", name)) for name in archive.namelist())
        numbers = range(1, slides + 1)
        return [
            _xml_text(path, f"ppt/slides/slide{n}.xml") + _xml_text(path, f"ppt/notesSlides/notesSlide{n}.xml")
            for n in numbers
        ]
    return [path.read_text(encoding="utf-8")]


def _xml_text(path: Path, member: str) -> str:
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read(member))
    return "\n".join(text for text in root.itertext("{*}t"))


def squeezed(text: str) -> str:
    """Without white space: where a line was broken on a page means nothing."""
    return re.sub(r"\s", "", text)


def whole(path: Path) -> str:
    return squeezed("".join(pages_of(path)))


def numbers_of(text: str) -> list[str]:
    """Numbers with a decimal point kept, without those inside words such as X200."""
    return re.findall(r"(?<![A-Za-z0-9_.-])\d+(?:\.\d+)?", text)


def sections_of(markdown: str) -> dict[str, str]:
    parts = re.split(r"^## (\d+)\. .*$", markdown, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def table_numbers(text: str) -> list[list[str]]:
    rows = [numbers_of(line) for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if row]


def value_of(key: str) -> str:
    found = re.search(rf"^{re.escape(key)}=(.*)$", (CASE / "application.properties").read_text("utf-8"), re.MULTILINE)
    assert found, key
    return found[1]


def by_name(folder: Path, name: str) -> Path:
    (found,) = [path for path in folder.rglob(name) if path.relative_to(folder).parts[0] != "sources"]
    return found


# --- the facts agree ---


@pytest.mark.parametrize("section", [str(number) for number in range(1, 9)])
def test_both_policies_state_the_same_numbers_in_every_section(section: str) -> None:
    chinese = sections_of((POLICIES / "差旅报销制度.md").read_text("utf-8"))[section]
    english = sections_of((POLICIES / "travel-policy.md").read_text("utf-8"))[section]
    assert sorted(set(numbers_of(chinese)), key=float) == sorted(set(numbers_of(english)), key=float)
    assert table_numbers(chinese) == table_numbers(english)


def test_both_policies_name_the_same_models_ranks_and_effective_date() -> None:
    for pattern in (r"\b[A-Z]\d{2,3}\b", r"\bP\d\b", r"\d{4}-\d\d-\d\d", r"[A-Z]{2}-FIN-\d\d"):
        found = [set(re.findall(pattern, path.read_text("utf-8"), re.ASCII)) for path in POLICIES.glob("*.md")]
        assert found[0] == found[1] != set(), pattern


def test_the_hotel_limits_stand_in_the_table_and_in_the_sentence() -> None:
    lodging = sections_of((POLICIES / "差旅报销制度.md").read_text("utf-8"))["2"]
    in_table = [row[-1] for row in table_numbers(lodging)]
    sentence = next(line for line in lodging.splitlines() if "每晚最高限额" in line)
    assert numbers_of(sentence) == in_table
    assert len(in_table) == 3


def test_the_equipment_list_agrees_with_both_policies() -> None:
    root = etree.HTML((POLICIES / "设备清单.html").read_text("utf-8"))
    listed = {row[0]: (row[1], row[2], row[5], row[6]) for row in ([c.text for c in r] for r in root.iter("tr"))}
    for path, name in ((POLICIES / "差旅报销制度.md", 0), (POLICIES / "travel-policy.md", 1)):
        rows = re.findall(r"^\| ([A-Z]\d+) \| (.+?) \| (\d+) \| (\d+) \|$", path.read_text("utf-8"), re.MULTILINE)
        assert len(rows) == 2
        for model, title, deposit, days in rows:
            assert (listed[model][name], *listed[model][2:]) == (title, deposit, days)


@pytest.mark.parametrize(
    ("key", "places"),
    [
        (
            "session.timeout-minutes",
            {"web.xml": "<session-timeout>{}<", "06-会话安全.pptx": "会话空闲{}分钟"},
        ),
        (
            "login.lock-minutes",
            {
                "UserDao.java": "ofMinutes({})",
                "03-登录流程.md": "锁定{}分钟",
                "06-会话安全.pptx": "锁定{}分钟",
            },
        ),
        ("login.max-failures", {"UserDao.java": "MAX_FAILURES={}"}),
        (
            "login.password-iterations",
            {
                "PasswordHasher.java": "ITERATIONS={}",
                "hash_password.py": "ITERATIONS={}",
                "03-登录流程.md": "迭代{}次",
            },
        ),
        ("datasource.pool.max-size", {"04-JDBC 数据访问.docx": "最大连接数{}同时"}),
        ("datasource.pool.connection-timeout-ms", {"04-JDBC 数据访问.docx": "{}毫秒"}),
        ("log.max-file-mb", {"05-部署手册.pdf": "最大{}MB"}),
    ],
)
def test_a_property_has_the_same_value_everywhere(key: str, places: dict[str, str]) -> None:
    for name, phrase in places.items():
        assert phrase.format(value_of(key)) in whole(by_name(COURSE, name)), name


def test_the_deployment_file_agrees_with_the_manual_and_the_form_with_the_table() -> None:
    deploy, manual = (CASE / "deploy.yml").read_text("utf-8"), whole(COURSE / "05-部署手册.pdf")
    for pattern, phrase in (
        (r"HEAP_MB: (\d+)", "堆内存上限{}MB"),
        (r'"(\d+):8080"', "对外端口{}"),
        (r"interval: (\d+)s", "每隔{}秒"),
        (r"stop_grace_period: (\d+)s", "{}秒的宽限时间"),
    ):
        assert phrase.format(re.search(pattern, deploy)[1]) in manual  # type: ignore[index]
    (length,) = re.findall(r'maxlength="(\d+)"', (CASE / "login.html").read_text("utf-8"))
    assert f"VARCHAR({length})" in (CASE / "schema.sql").read_text("utf-8")


def test_the_code_really_has_the_faults_that_the_notes_describe() -> None:
    code, notes = (
        (CASE / "AuthFilter.java").read_text("utf-8"),
        (COURSE / "03-登录流程.md").read_text("utf-8"),
    )
    (allowed,) = re.findall(r"PUBLIC_PATHS = (Set\.of\(.*?\));", code)
    assert '"/login"' not in allowed
    assert 'sendRedirect("/login")' in code
    assert allowed in notes
    assert "<url-pattern>/login</url-pattern>" in (CASE / "web.xml").read_text("utf-8")


# --- the built files ---


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("rebuilt")
    assert [path.relative_to(target) for path in build(EXAMPLES / "sources", target)] == BUILT
    return target


def test_there_is_a_built_file_of_each_binary_format() -> None:
    assert sorted(path.suffix for path in BUILT) == [".docx", ".pdf", ".pptx"]


@pytest.mark.parametrize("path", BUILT, ids=str)
def test_a_committed_built_file_is_current(path: Path, rebuilt: Path) -> None:
    assert pages_of(EXAMPLES / path) == pages_of(rebuilt / path)


@pytest.mark.parametrize("path", BUILT, ids=str)
def test_a_built_file_is_small_and_holds_every_line_of_its_source_on_its_page(path: Path) -> None:
    assert (EXAMPLES / path).stat().st_size < 300_000
    pages = [squeezed(page) for page in pages_of(EXAMPLES / path)]
    sources = (EXAMPLES / "sources" / f"{path}{SUFFIX}").read_text("utf-8").split("===\n")
    assert len(pages) == len(sources)
    for page, source in zip(pages, sources, strict=True):
        for line in filter(None, source.splitlines()):
            for cell in line.strip("|").split("|"):
                assert squeezed(re.sub(r"^(#+|-|>) ", "", cell)) in page


def test_equal_sources_give_equal_bytes(rebuilt: Path, tmp_path: Path) -> None:
    build(EXAMPLES / "sources", tmp_path)
    for path in BUILT:
        assert (tmp_path / path).read_bytes() == (rebuilt / path).read_bytes()


def test_a_character_without_a_glyph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf.source").write_text("# 標題 \N{GRINNING FACE}", encoding="utf-8")
    with pytest.raises(ValueError, match="no glyph for 標"):
        build(tmp_path, tmp_path / "out")


def test_a_source_of_an_unknown_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.odt.source").write_text("# 标题", encoding="utf-8")
    with pytest.raises(ValueError, match=r"no writer for '\.odt'"):
        build(tmp_path, tmp_path / "out")


# --- the questions ---


def assert_the_document_answers(expect: dict[str, Any], folder: Path) -> None:
    document = by_name(folder, expect["document"])
    location = expect.get("location", {})
    if "lines" in location:
        first, last = location["lines"]
        text = squeezed("".join(document.read_text("utf-8").splitlines()[first - 1 : last]))
    elif place := location.get("page") or location.get("slide"):
        text = squeezed(pages_of(document)[place - 1])
    else:
        text = whole(document)
    for wanted in expect["contains"]:
        assert squeezed(wanted) in text


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_a_question_can_be_answered_from_the_place_it_names(question: dict[str, Any]) -> None:
    expect = question["expect"]
    assert expect["status"] in get_args(Status)
    if expect["document"]:
        assert expect["status"] == "answered"
        assert expect["contains"]
        assert_the_document_answers(expect, EXAMPLES)


def test_a_follow_up_comes_after_its_question_and_ids_are_unique() -> None:
    ids = [question["id"] for question in QUESTIONS]
    assert len(set(ids)) == len(ids)
    for position, question in enumerate(QUESTIONS):
        assert question.get("after") in {None, *ids[:position]}


@pytest.mark.parametrize("subject", ["年假", "Kubernetes"])
def test_what_must_be_refused_stands_in_no_document(subject: str) -> None:
    asked = [question for question in QUESTIONS if subject in question["question"]]
    assert [question["expect"]["status"] for question in asked] == ["insufficient_material"]
    assert not [path.name for path in DOCUMENTS if subject.lower() in whole(path).lower()]


def test_every_format_and_both_languages_are_asked_about() -> None:
    asked = {Path(question["expect"]["document"] or "").suffix for question in QUESTIONS}
    assert {".md", ".java", ".sql", ".properties", ".py", ".docx", ".pdf", ".pptx", ".html"} <= asked
    assert any(question["question"].isascii() for question in QUESTIONS)


# --- renaming ---


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def renamed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Renaming]:
    target = tmp_path_factory.mktemp("renamed")
    mapping = rename(EXAMPLES, target, request.param)
    assert isinstance(mapping, Renaming)
    return target, mapping


def test_renamed_expectations_stand_in_the_renamed_documents(renamed: tuple[Path, Renaming]) -> None:
    target, mapping = renamed
    for question in QUESTIONS:
        expect = rename_question(question, mapping)["expect"]
        if expect["document"]:
            assert_the_document_answers(expect, target)


def test_renaming_leaves_a_sum_as_it_was_asked(renamed: tuple[Path, Renaming]) -> None:
    (question,) = [question for question in QUESTIONS if question["id"] == "arithmetic"]
    assert rename_question(question, renamed[1]) == question


def test_renaming_changes_names_figures_and_nothing_else(renamed: tuple[Path, Renaming]) -> None:
    target, mapping = renamed
    back = Renaming({new: old for old, new in mapping.table.items()})
    for path in DOCUMENTS:
        relative = path.relative_to(EXAMPLES)
        new = target / mapping.path(relative)
        assert back.path(mapping.path(relative)) == relative
        assert squeezed(back("\n".join(pages_of(new)))) == squeezed("\n".join(pages_of(path)))


def test_no_old_name_or_figure_is_left_in_the_renamed_documents(renamed: tuple[Path, Renaming]) -> None:
    target, mapping = renamed
    files = [path for path in target.rglob("*") if path.is_file()]
    assert len(files) == len(DOCUMENTS)
    old = any_of(mapping.table)
    for path in files:
        assert not old.search(str(path.relative_to(target)))
        assert not old.search("\n".join(pages_of(path)))


def test_renamed_java_is_still_java_and_its_classes_still_match_their_files(
    renamed: tuple[Path, Renaming],
) -> None:
    target, _ = renamed
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language()))
    sources = [*CASE.glob("*.java"), *target.rglob("*.java")]
    assert len(sources) == 2 * 4
    for path in sources:
        source = path.read_bytes()
        assert not parser.parse(source).root_node.has_error, path.name
        assert f"class {path.stem} " in source.decode()
        for name in re.findall(r"new ([A-Z]\w+)\(dataSource\)", source.decode()):
            assert (path.parent / f"{name}.java").exists()


def test_one_seed_gives_one_renaming_and_another_seed_another() -> None:
    known = "\n".join("".join(pages_of(path)) for path in DOCUMENTS)
    assert choose(known, 7).table == choose(known, 7).table
    assert choose(known, 7).table != choose(known, 8).table


def test_no_seed_makes_two_things_one_or_uses_a_word_that_is_there() -> None:
    known = "\n".join([*map(str, DOCUMENTS), *("\n".join(pages_of(path)) for path in DOCUMENTS)])
    for seed in range(15):
        table = choose(known, seed).table
        assert len(set(table.values())) == len(table) > 80
        assert not any_of(table.values()).search(known)
        for figures in FIGURES:
            new = [int(re.sub(r"\D", "", table[figures.forms[0].format(value)])) for value in sorted(figures.values)]
            assert new == sorted(set(new))


def test_the_vocabulary_is_well_formed_and_all_of_it_occurs() -> None:
    known = "\n".join([*map(str, DOCUMENTS), *("\n".join(pages_of(path)) for path in DOCUMENTS)])
    for name in NAMES:
        assert all(len(forms) == len(name.forms) for forms in name.alternatives)
        assert all(any_of([form]).search(known) for form in name.forms), name.forms
    for figures in FIGURES:
        for value in figures.values:
            assert all(any_of([form.format(value)]).search(known) for form in figures.forms), (
                value,
                figures.forms,
            )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("45 分钟、45s、（45）、=45。", "61 分钟、61s、（61）、=61。"),
        ("2.45 450 145 M45 45.5 v45", "2.45 450 145 M45 45.5 v45"),
        ("UserDao userDao = new UserDao();", "StaffDao staffDao = new StaffDao();"),
        ("SuperUserDao UserDaoTest UserDao_2", "SuperUserDao UserDaoTest UserDao_2"),
        ("清禾科技的UserDao类", "远帆软件的StaffDao类"),
        ("12 个工作日，12 天", "9 个工作日，12 天"),
    ],
)
def test_whole_names_and_numbers_are_renamed_and_parts_are_not(text: str, wanted: str) -> None:
    table = {
        "45": "61",
        "UserDao": "StaffDao",
        "userDao": "staffDao",
        "清禾科技": "远帆软件",
        "12 个工作日": "9 个工作日",
    }
    assert Renaming(table)(text) == wanted


def test_renaming_into_a_folder_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="not empty"):
        rename(EXAMPLES, tmp_path, 1)


def test_an_exhausted_vocabulary_is_reported() -> None:
    taken = " ".join(forms[0] for forms in NAMES[0].alternatives)
    with pytest.raises(ValueError, match="every alternative for '清禾科技' is taken"):
        choose(taken, 1)


# --- the notebook ---


def test_the_notebook_is_valid_and_carries_no_outputs() -> None:
    notebook = nbformat.read(EXAMPLES / "quickstart.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    for cell in code:
        compile(cell.source, "cell", "exec", flags=0x2000)  # PyCF_ALLOW_TOP_LEVEL_AWAIT, as a notebook runs it
