// The engine in Node: a site may also be a folder of this machine.
import "./file-fetch.js";
import { pathToFileURL } from "node:url";
import { Engine } from "./index.js";

export * from "./index.js";

export const openFolder = (path) => new Engine(pathToFileURL(path));
