// A document for Node, as small as the page needs it: elements in a tree, found by simple selectors, with attributes,
// events and a focus. Nothing is laid out: every size is 0, and everything is in sight.
const WITHOUT_CONTENT = new Set(["input", "link", "meta"]);
const TOKENS = /<!--[^]*?-->|<!doctype[^>]*>|<\/([\w-]+)>|<([\w-]+)([^>]*?)(\/?)>|([^<]+)/g;
const ATTRIBUTES = /([\w-]+)(?:="([^"]*)")?/g;
const SIMPLE = /#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:=['"]?([^\]'"]*)['"]?)?\]|:checked|^[\w-]+/g;

class Text {
  constructor(text) {
    this.textContent = text;
  }

  remove() {
    this.parentElement.detach(this);
  }
}

const nodeOf = (content) => (typeof content === "object" ? content : new Text(String(content)));
const dashed = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

// `node.dataset.rolledOn` is the attribute data-rolled-on.
const datasetOf = (node) =>
  new Proxy(
    {},
    {
      get: (_target, name) => node.getAttribute(dashed(name)) ?? undefined,
      set: (_target, name, value) => node.setAttribute(dashed(name), value) ?? true,
      deleteProperty: (_target, name) => node.removeAttribute(dashed(name)) ?? true,
    },
  );

export class Element {
  constructor(tag, document) {
    this.tagName = tag.toUpperCase();
    this.ownerDocument = document;
    this.attributes = new Map();
    this.childNodes = [];
    this.parentElement = null;
    this.listeners = [];
    this.style = { setProperty() {} };
    this.dataset = datasetOf(this);
    this.classList = {
      add: (...names) => names.forEach((name) => this.toggleClass(name, true)),
      remove: (...names) => names.forEach((name) => this.toggleClass(name, false)),
      toggle: (name, isSet = !this.classes().includes(name)) => this.toggleClass(name, isSet),
      contains: (name) => this.classes().includes(name),
    };
  }

  // --- attributes ---

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name, value) {
    if (name === "id") this.ownerDocument.noteId(String(value), this);
    this.attributes.set(name, String(value));
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }

  classes() {
    return this.className.split(" ").filter(Boolean);
  }

  toggleClass(name, isSet) {
    const others = this.classes().filter((each) => each !== name);
    this.className = [...others, ...(isSet ? [name] : [])].join(" ");
  }

  get tabIndex() {
    return Number(this.getAttribute("tabindex") ?? (this.tagName === "BUTTON" ? 0 : -1));
  }

  set tabIndex(value) {
    this.setAttribute("tabindex", value);
  }

  // --- fields ---

  get value() {
    if (this.tagName !== "SELECT") return this.enteredValue ?? this.getAttribute("value") ?? "";
    const options = this.querySelectorAll("option");
    const entered = options.find((option) => option.value === this.enteredValue);
    const selected = options.find((option) => option.attributes.has("selected"));
    return (entered ?? selected ?? options[0])?.value ?? "";
  }

  set value(value) {
    this.enteredValue = String(value);
  }

  get checked() {
    return this.isChecked ?? this.attributes.has("checked");
  }

  set checked(isChecked) {
    this.isChecked = Boolean(isChecked);
  }

  // --- the tree ---

  get children() {
    return this.childNodes.filter((node) => node instanceof Element);
  }

  get firstChild() {
    return this.childNodes[0] ?? null;
  }

  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }

  get previousElementSibling() {
    const all = this.parentElement.children;
    return all[all.indexOf(this) - 1] ?? null;
  }

  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }

  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [text]));
  }

  get isConnected() {
    return this === this.ownerDocument.documentElement || Boolean(this.parentElement?.isConnected);
  }

  contains(node) {
    return node === this || Boolean(node && this.contains(node.parentElement));
  }

  detach(node) {
    this.childNodes = this.childNodes.filter((each) => each !== node);
    node.parentElement = null;
  }

  insert(at, contents) {
    const nodes = contents.map(nodeOf);
    for (const node of nodes) {
      node.parentElement?.detach(node);
      node.parentElement = this;
    }
    this.childNodes.splice(at, 0, ...nodes);
  }

  append(...contents) {
    this.insert(this.childNodes.length, contents);
  }

  prepend(...contents) {
    this.insert(0, contents);
  }

  before(...contents) {
    this.insertBeside(0, contents);
  }

  after(...contents) {
    this.insertBeside(1, contents);
  }

  insertBeside(offset, contents) {
    const parent = this.parentElement;
    for (const node of contents) node.parentElement?.detach?.(node);
    parent.insert(parent.childNodes.indexOf(this) + offset, contents);
  }

  replaceChildren(...contents) {
    for (const node of this.childNodes) node.parentElement = null;
    this.childNodes = [];
    this.append(...contents);
  }

  remove() {
    this.parentElement?.detach(this);
  }

  // --- selectors: tags, #ids, .classes, [attributes], :checked, :is(), descendants and lists of them ---

  matches(selector) {
    const inside = /:is\(([^)]*)\)/.exec(selector);
    if (inside) {
      return inside[1].split(",").some((each) => this.matches(selector.replace(inside[0], each.trim())));
    }
    return selector.split(",").some((each) => this.matchesPath(each.trim().split(/\s+/)));
  }

  matchesPath(path) {
    const outer = path.slice(0, -1);
    if (!this.matchesSimple(path.at(-1))) return false;
    if (!outer.length) return true;
    for (let node = this.parentElement; node; node = node.parentElement) {
      if (node.matchesPath(outer)) return true;
    }
    return false;
  }

  matchesSimple(selector) {
    return [...selector.matchAll(SIMPLE)].every(([text, id, className, attribute, value]) => {
      if (id) return this.id === id;
      if (className) return this.classes().includes(className);
      if (attribute) {
        const found = this.getAttribute(attribute);
        return found !== null && (value === undefined || found === value);
      }
      return text === ":checked" ? this.checked : this.tagName === text.toUpperCase();
    });
  }

  closest(selector) {
    return this.matches(selector) ? this : (this.parentElement?.closest(selector) ?? null);
  }

  querySelectorAll(selector) {
    return this.children.flatMap((child) => [
      ...(child.matches(selector) ? [child] : []),
      ...child.querySelectorAll(selector),
    ]);
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  // --- events ---

  addEventListener(type, listener, isCapturing = false) {
    this.listeners.push({ type, listener, isCapturing: isCapturing === true });
  }

  hear(event, isCapturing) {
    for (const each of this.listeners) {
      if (each.type !== event.type || each.isCapturing !== isCapturing) continue;
      event.currentTarget = this;
      each.listener(event);
    }
    if (!isCapturing) this[`on${event.type}`]?.(event);
  }

  // From the document down to this element, and up again unless a listener stops that.
  dispatchEvent(event) {
    const path = [];
    for (let node = this; node; node = node.parentElement) path.push(node);
    if (this !== this.ownerDocument) path.push(this.ownerDocument);
    let isStopped = false;
    const stopPropagation = () => (isStopped = true);
    const seen = { ...event, type: event.type, detail: event.detail, target: this, stopPropagation };
    seen.preventDefault ??= () => {};
    for (const node of [...path].reverse()) node.hear(seen, true);
    for (const node of path) if (!isStopped) node.hear(seen, false);
    return true;
  }

  click() {
    this.dispatchEvent({ type: "click" });
    if (this.type === "checkbox") this.choose(!this.checked);
    if (this.type === "submit") this.closest("form").requestSubmit();
  }

  // Enters a value as somebody does who then leaves the field.
  choose(value) {
    if (this.type === "checkbox") this.checked = value;
    else this.value = value;
    this.dispatchEvent({ type: "input" });
    this.dispatchEvent({ type: "change" });
  }

  requestSubmit() {
    this.dispatchEvent({ type: "submit" });
    if (this.getAttribute("method") === "dialog") this.closest("dialog").close();
  }

  showModal() {
    this.open = true;
  }

  close(value = "") {
    this.open = false;
    this.returnValue = value;
    this.dispatchEvent({ type: "close" });
  }

  focus() {
    this.ownerDocument.activeElement = this;
    this.dispatchEvent({ type: "focusin" });
  }

  // --- the layout that there is not ---

  scrollIntoView() {}

  getBoundingClientRect() {
    return { left: 0, top: 0, width: 0, height: 0 };
  }

  checkVisibility() {
    return !this.closest("[hidden]");
  }
}

// Attributes that are properties, too: texts, and those that are there or not.
for (const [property, attribute] of Object.entries({ className: "class", id: "id", lang: "lang", type: "type" })) {
  Object.defineProperty(Element.prototype, property, {
    get() {
      return this.getAttribute(attribute) ?? "";
    },
    set(value) {
      this.setAttribute(attribute, value);
    },
  });
}
for (const name of ["hidden", "open"]) {
  Object.defineProperty(Element.prototype, name, {
    get() {
      return this.attributes.has(name);
    },
    set(isSet) {
      if (isSet) this.setAttribute(name, "");
      else this.removeAttribute(name);
    },
  });
}
Object.defineProperty(Element.prototype, "content", {
  get() {
    return this.getAttribute("content");
  },
});

export class Document extends Element {
  constructor(html, baseURI) {
    super("document", null);
    this.ownerDocument = this;
    this.baseURI = baseURI;
    this.byId = new Map();
    this.visibilityState = "visible";
    this.read(html);
    [this.documentElement] = this.children;
    this.documentElement.parentElement = null;
    this.body = this.querySelector("body");
    this.activeElement = this.body;
  }

  // Elements of an id: one of them is in the tree.
  noteId(id, element) {
    const others = (this.byId.get(id) ?? []).filter((each) => each !== element);
    this.byId.set(id, [...others, element]);
  }

  getElementById(id) {
    return this.byId.get(id)?.find((each) => each.id === id && each.isConnected) ?? null;
  }

  createElement(tag) {
    return new Element(tag, this);
  }

  createElementNS(_namespace, tag) {
    return new Element(tag, this);
  }

  // Reads HTML that is written without mistakes, as that of the page is.
  read(html) {
    let parent = this;
    for (const [, closed, opened, attributes, isAlone, text] of html.matchAll(TOKENS)) {
      if (closed) parent = parent.parentElement;
      else if (text) parent.append(text);
      else if (opened) {
        const element = this.createElement(opened);
        for (const [, name, value = ""] of attributes.matchAll(ATTRIBUTES)) element.setAttribute(name, value);
        parent.append(element);
        if (!isAlone && !WITHOUT_CONTENT.has(opened)) parent = element;
      }
    }
  }
}
