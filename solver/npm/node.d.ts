import type { Engine } from "./index.js";

export * from "./index.js";

/** The games of a folder that `yatzy site` wrote on this machine. */
export function openFolder(path: string): Engine;
