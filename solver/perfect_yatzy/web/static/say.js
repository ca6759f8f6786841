// What a screen reader hears: the course of the game in one polite live region. Other parts of the page are silent.
import { byId, element } from "./dom.js";

const MAX_KEPT = 8; // paragraphs; older ones have been read long ago
let last = "";

// Says some sentences, unless they are those said last.
export function say(...sentences) {
  const said = sentences.filter(Boolean), text = said.join("\n");
  if (!text || text === last) return;
  last = text;
  const region = byId("said");
  region.append(...said.map((sentence) => element("p", {}, sentence)));
  while (region.children.length > MAX_KEPT) region.firstChild.remove();
}
