"""What the tests of the page measure: contrast of controls, sizes of targets, and what axe finds."""

from __future__ import annotations

from typing import Any

from .need import need

# Words that look like a link or like plain text have the contrast of text instead, which axe measures.
CONTROLS = ", ".join(
    f"{place}:not([aria-disabled='true'], .quiet, .decision, .option, .box, .die, .face, #left, [data-box], #menu button, #open-rules, #menu-button)"
    for place in ("main button", "main select", "main input", "dialog[open] button", "dialog[open] select", "dialog[open] input", "dialog[open] textarea")
) + ", .die .die-square, #card input, #bar .bar-buttons > button, #remove-die, #faces svg rect"  # fmt: skip

CONTRAST = """
(selector) => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let e = node; e; e = e.parentElement) {
      const c = numbers(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  return [...document.querySelectorAll(selector)].filter((e) => e.getBoundingClientRect().width).map((e) => {
    const style = getComputedStyle(e), isPicture = e instanceof SVGElement, around = behind(e.parentElement);
    const border = numbers(isPicture ? style.stroke : style.borderTopColor), own = isPicture ? numbers(style.fill) : behind(e);
    const edge = border.length === 3 || border[3] > 0 ? ratio(border.slice(0, 3), around) : 0;
    return [e.id || e.textContent || e.closest('button')?.getAttribute('aria-label') || e.tagName, Math.max(edge, ratio(own, around))];
  });
}
"""
SMALL = """
() => [...document.querySelectorAll('button, select, input, summary, a')]
  .filter((e) => e.offsetWidth && e.getClientRects().length && e.id !== 'skip')
  .map((e) => [e, (e.type === 'checkbox' || e.type === 'radio') ? e.closest('label') : e])
  // A row of the card is as wide as half the screen, and the whole card is to be in sight.
  .filter(([e, box]) => box.offsetWidth < 44 || box.offsetHeight < (e.closest('.row') ? 35 : 44))
  .map(([e, box]) => [e.id || e.textContent, box.offsetWidth, box.offsetHeight])
"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]


RUN_AXE = """
([context, options]) => axe.run(context || document, { resultTypes: ['violations'], ...options })
  .then(({ violations }) => violations.map((each) => [each.id, each.nodes.map((node) => node.target)]))
"""


def axe_faults(page: Any, context: str | None = None, rules: list[str] | None = None) -> list[Any]:
    """What axe finds in the page or in a part of it: the rule and the elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(need("axe_playwright_python.sync_playwright").Axe().axe_script)
    found: list[Any] = page.evaluate(RUN_AXE, [context, {"runOnly": rules} if rules else {}])
    return found


def looks_right(page: Any, state: str) -> None:
    """On a desk and on phones, in light and dark: what axe finds, targets for a finger, contrast of controls.

    In the dark only colours differ.
    """
    for width in (1280, 320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme="light")
        # Controls move to their place.
        page.wait_until("(width) => document.documentElement.scrollWidth <= width", width)
        assert (state, width, width < 1280 and page.evaluate(SMALL)) == (state, width, width < 1280 and [])
        assert (state, width, width != 320 and axe_faults(page)) == (state, width, width != 320 and [])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        weak = [each for each in page.evaluate(CONTRAST, CONTROLS) if each[1] < 3]  # WCAG 1.4.11
        assert (state, scheme, weak) == (state, scheme, [])
    assert (state, axe_faults(page, rules=["color-contrast"])) == (state, [])
    page.set_viewport_size({"width": 1280, "height": 844})
