"""The HTML report in a real browser: it fits every window, can be read and used by everybody, and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.builders import cluster, deployment, engine, entry, hardware, placement, pool, request, settings
from tests.e2e.browser import Browser, program
from tests.run import modelfleet, repository
from tests.test_base import committed

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(program() is None, reason="no Chromium is installed")]

LONG = "a-name-that-is-as-long-as-a-name-of-a-model-may-be-in-this-repo"
FLEET = [
    settings(),
    hardware("h100", cost="87.84"),
    hardware("l4", {**hardware()["spec"]["devices"][0], "count": 1}),
    hardware("wide", {**hardware()["spec"]["devices"][0], "count": 16}),
    *(cluster(name, pool(nodes=3), pool("l4", nodes=9), pool("wide", nodes=1)) for name in ("east", "west")),
    cluster("a-cluster-whose-name-is-long-and-whose-pool-is-too", pool("h100-in-a-far-away-place-with-a-name", nodes=2, hardware="h100")),
]
BEFORE = [
    *(deployment(f"model-{i:02}", engine(request(count=1 + i % 4)), replicas=1) for i in range(14)),
    *(placement(f"model-{i:02}", entry("east" if i % 2 else "west", 1)) for i in range(14)),
]
AFTER = [
    *BEFORE,
    deployment("model-00", engine(request(count=1), nodeSelector={"a": "b"}), replicas=2),
    placement("model-00", entry("east", 2), entry("west", 1, retiring=True, replaced=1)),
    deployment(LONG, engine(request(count=8)), replicas=40),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report with everything in it: what moves, what is short, hostile text, long names."""
    root = committed(tmp_path_factory.mktemp("fleet"), *FLEET, *BEFORE)
    repository(root, *AFTER)
    hostile = deployment("model-01", engine(request(count=2)), replicas=1)
    hostile["spec"]["template"]["spec"]["engines"][0]["members"][0]["template"]["spec"]["containers"][0]["args"] += [
        "</pre></script><script>document.title = 'taken'</script><img src=http://127.0.0.1:1/x onerror=alert(1)>",
        "x" * 400,
    ]
    repository(root, hostile)
    made = modelfleet(root, "plan", "--base", "HEAD", "--without", "a-cluster-whose-name-is-long-and-whose-pool-is-too", "--format", "html")
    assert made.code == 0, made.err
    path = tmp_path_factory.mktemp("page") / "plan.html"
    path.write_text(made.out)
    return path.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


WINDOWS = [(width, dark) for width in (320, 360, 700, 701, 1024, 1400) for dark in (False, True)]


@pytest.mark.parametrize(("width", "dark"), WINDOWS, ids=[f"{w}-{'dark' if d else 'light'}" for w, d in WINDOWS])
def test_it_fits_and_is_quiet(browser: Browser, page: str, width: int, dark: bool) -> None:
    browser.open(page, width, dark)
    browser.value("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    wide, seen = browser.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= seen == width
    noise = [e for e in browser.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
    assert noise == []
    assert [e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"] == [page]
    assert browser.value("document.title").startswith("modelfleet plan: ")


# Contrast as WCAG 2 counts it, of every text that is shown; of text in a drawing against the shape below it.
CONTRAST = """(() => {
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1]; };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const c = parse(getComputedStyle(at).backgroundColor);
      layers.push(c);
      if (c[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("").trim();
    const box = element.getBoundingClientRect();
    if (!text || !box.width || !box.height || element.closest("title, script, style, .skip")) continue;
    const style = getComputedStyle(element);
    const drawn = element.tagName === "text";
    const shape = drawn && element.parentElement.querySelector("rect");
    const hatched = drawn && element.parentElement.querySelector(".hatch");
    const ink = parse(drawn ? style.fill : style.color);
    const ground = shape && element.closest("g, .legend") ? parse(getComputedStyle(shape).fill) : behind(element);
    const [a, b] = [light(over(ink, ground)), light(ground)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (!hatched && ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.tagName}: ${text.slice(0, 40)}`);
  }
  return found;
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_has_contrast(browser: Browser, page: str, dark: bool) -> None:
    browser.open(page, 1400, dark)
    browser.value("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    assert browser.value(CONTRAST) == []
    browser.value("document.querySelector('.said').style.color = getComputedStyle(document.querySelector('section')).backgroundColor")
    assert len(browser.value(CONTRAST)) == 1, "the measure sees a text that cannot be read"


COLUMN = "[...document.querySelectorAll('#placements tbody tr')].map(row => row.cells[0].textContent)"


def test_a_table_is_sorted_with_the_keyboard(browser: Browser, page: str) -> None:
    browser.open(page, 1400)
    first = browser.value(COLUMN)
    browser.press("Tab", 9)
    assert browser.value("document.activeElement.className") == "skip"
    browser.value("document.querySelector('#placements th button').focus()")
    browser.press("Enter", 13)
    assert browser.value("document.querySelector('#placements th').getAttribute('aria-sort')") == "ascending"
    browser.press("Enter", 13)
    assert browser.value(COLUMN) == sorted(first, reverse=True) != first


def test_numbers_are_sorted_by_value(browser: Browser, page: str) -> None:
    browser.open(page, 1400)
    browser.value("document.querySelectorAll('#capacity th button')[5].click()")
    used = browser.value(
        "[...document.querySelectorAll('#capacity tbody tr')].map(row => row.cells[5].textContent.split('->').pop().trim())"
    )
    numbers = [0 if value == "-" else int(value) for value in used]
    assert len(numbers) > 2 and numbers == sorted(numbers)


def _tree(browser: Browser) -> list[dict[str, Any]]:
    return [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]


@pytest.mark.parametrize("width", [360, 1400])
def test_what_a_screen_reader_is_told(browser: Browser, page: str, width: int) -> None:
    """Every drawing and region has a name, and tables are tables, also where they are shown as blocks."""
    browser.open(page, width)
    roles: dict[str, list[str]] = {}
    for node in _tree(browser):
        roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    tables = browser.value("document.querySelectorAll('table').length")
    heads = browser.value("document.querySelectorAll('th').length")
    assert len(roles["table"]) == tables and len(roles["columnheader"]) == heads
    assert all(roles["image"]) and all(roles["region"]) and all(roles["button"]) and all(roles["link"])
    assert any(name.startswith("east before: pool h100: ") for name in roles["image"])
    assert roles["main"] and roles["banner"] and roles["navigation"] == ["Sections"]
    levels = browser.value("[...document.querySelectorAll('h1, h2, h3')].map(head => +head.tagName[1])")
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
