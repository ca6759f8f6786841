// What tests ask a page in the browser. Its modules are those of its one script (perfect_yatzy/web/bundle.py).
window.loaded = (name) => loadModule(name + ".js");
// Pages of tests roll here unless a test says otherwise: the question how to play is one of the first visit.
try {
  localStorage["perfect-yatzy-dice"] ??= '"here"';
} catch {
  // a page without storage
}
window.probes = {
  // Each control of a selector, and the contrast of its edge or of itself with what is around.
  contrast: (selector) => {
    const numbers = (text) => text.match(/[\d.]+/g).map(Number);
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
      const border = numbers(isPicture ? style.stroke : style.borderTopColor), isPainted = style.fill.startsWith("url");
      const own = isPicture && isPainted ? around : isPicture ? numbers(style.fill) : behind(e); // paint has no single colour: its edge counts
      const edge = border.length === 3 || border[3] > 0 ? ratio(border.slice(0, 3), around) : 0;
      return [e.id || e.textContent || e.closest('button')?.getAttribute('aria-label') || e.tagName, Math.max(edge, ratio(own, around))];
    });
  },
  // Controls that are too small for a finger.
  small: () => [...document.querySelectorAll('button, select, input, summary, a')]
    .filter((e) => e.offsetWidth && e.getClientRects().length && e.id !== 'skip')
    .map((e) => [e, (e.type === 'checkbox' || e.type === 'radio') ? e.closest('label') : e])
    // A row of the card is as wide as half the screen, and the whole card is to be in sight.
    .filter(([e, box]) => box.offsetWidth < 44 || box.offsetHeight < (e.closest('.row') ? 35 : 44))
    .map(([e, box]) => [e.id || e.textContent, box.offsetWidth, box.offsetHeight]),
  // What axe finds: rules and elements.
  axe: ([context, options]) => axe.run(context || document, { resultTypes: ['violations'], ...options })
    .then(({ violations }) => violations.map((each) => [each.id, each.nodes.map((node) => node.target)])),
  // Collects what a screen reader would say: texts of live regions as they change, and the name of each element that gets the focus.
  listen: () => {
    const heard = window.heard = [], live = '[role=status], [role=alert], [role=log], [aria-live]', last = new Map();
    const hidden = (e) => Boolean(e.closest('[hidden], [aria-hidden=true], dialog:not([open])'));
    const isLog = (region) => region.getAttribute('role') === 'log' || region.getAttribute('aria-atomic') === 'false';
    const words = (node) => node.textContent.trim().replace(/\s+/g, ' ');
    // A log says what is added to it, every other region all of its new text.
    const look = (changes) => {
      for (const { target, addedNodes } of changes) {
        const log = target.closest?.('[role=log], [aria-atomic=false]');
        if (log && !hidden(log)) for (const node of addedNodes) heard.push(words(node));
      }
      for (const region of document.querySelectorAll(live)) {
        const text = hidden(region) ? '' : words(region);
        if (text && text !== last.get(region) && !isLog(region)) heard.push(text);
        last.set(region, text);
      }
    };
    look([]);
    heard.length = 0;
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true,
      attributeFilter: ['hidden', 'open'] });
    document.addEventListener('focusin', ({ target }) => {
      const name = target.getAttribute('aria-label') || target.textContent || target.value || '';
      heard.push('focus: ' + name.trim().replace(/\s+/g, ' '));
    });
  },
  // Taps on something that a player taps; what would leave the page or open a window of the system is left out.
  tap: async ([pick, ms]) => {
    const { state, undoAndRedoAvailable } = await loaded('store/state');
    const left = new Set(['print', 'share', 'review-end', 'copy-link', 'copy-position', 'open-paste', 'open-language', 'open-file', 'save-own', 'import', 'export',
      'menu-undo', 'undo', 'forget-games', 'drill-forget', 'open-rules', 'menu-rules', 'game-button', 'open-aim', 'new-game', 'open-players', 'aim', 'example', 'edit-card', 'redo']);
    const scope = document.querySelector('dialog[open]') || document;
    const controls = () => [...scope.querySelectorAll('button, summary')].filter((e) => e.checkVisibility() && e.getAttribute('aria-disabled') !== 'true'
      && !left.has(e.id) && !e.closest('#rooms, #menu, header, #training, #review, #statistics, footer, #expect, #who, #guess'));
    for (let wait = 0; !controls().length && wait < 200; wait++) await new Promise((resolve) => setTimeout(resolve, 25)); // the answer
    const all = controls();
    if (!all.length) return ['nothing to tap', document.body.innerText];
    // The large action and the dice are tapped more often, so that games end.
    const goes = all.filter((e) => e.id === 'go'), keys = all.filter((e) => e.matches('#faces .face:not(#remove-die)'));
    const wanted = pick[0] < 0.8 ? (goes.length ? goes : keys) : pick[0] < 0.9 ? all.filter((e) => e.closest('#faces, #dice, #card')) : all;
    const among = wanted.length ? wanted : all, target = among[Math.floor(pick[1] * among.length)];
    const look = () => JSON.stringify(state) + document.getElementById('page').innerHTML + document.getElementById('notice').textContent + Boolean(document.querySelector('dialog[open]'));
    const before = look(), name = target.id || target.getAttribute('aria-label') || target.textContent;
    target.click();
    await new Promise((resolve) => setTimeout(resolve, ms));
    // An option that is marked already stays; a key that adds no die says why, once more.
    const hasEffect = look() !== before || target.closest('.options') || target.closest('#faces') && document.getElementById('notice').textContent;
    return [hasEffect ? '' : `no effect: ${name}`, (await loaded('store/game')).hasRecord() && state.players.every((p) => Object.keys(p.card).length === 15)];
  },
  // Takes the worst box of all, with the first roll.
  takeWorst: async () => {
    const { takeCategory } = await loaded('store/game'), { known } = await loaded('table/asking');
    takeCategory(known.boxes.at(-1));
  },
  // Begins long work, gives it up at the first sign of progress if it may, and says how many reports there were.
  work: async ([body, mayStop]) => {
    const { ask } = await loaded("store/ask"), controller = new AbortController(), reports = [];
    const onProgress = (report) => { reports.push(report); if (mayStop && report.done > 0) controller.abort(); };
    const name = await ask("solve", body, { signal: controller.signal, onProgress }).then(() => "", (error) => error.name);
    return [name, reports];
  },
  // Takes everything back, and does the first change once more if it was there at the start.
  undoAll: async (isFirstKept) => {
    const { undo, redo, undoAndRedoAvailable } = await loaded("store/state");
    while (undoAndRedoAvailable()[0]) undo();
    if (isFirstKept) redo();
  },
  // The reviews of the game on the page, of all players.
  reviews: async () => (await loaded("store/memory")).reviewGame((await loaded("store/game")).gameRecord()),
};
