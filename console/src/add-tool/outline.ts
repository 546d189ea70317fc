/**
 * Where everything stands in a text that is JSON or is about to be: what is typed half way is read as far as it goes.
 * What the text means is for the check to say. Pure.
 */

export type OutlineNode = {
  readonly type: "object" | "list" | "text" | "word" | "missing";
  /** The name it has in its object, and where that stands; null in a list and at the root. */
  readonly key: Key | null;
  readonly from: number;
  to: number;
  /** False where the text ends before it does. */
  isClosed: boolean;
  readonly children: OutlineNode[];
  /** What a text says; null of everything else. */
  readonly text: string | null;
  /** What a number says; null of everything else. */
  readonly number: number | null;
};

export interface Key {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Behind its colon; null where none is written yet. */
  valueFrom: number | null;
}

const WORD = /[^\s,:{}[\]"]+/y;
const [SPACE, QUOTE, BACKSLASH, LINE_BREAK] = [0x20, 0x22, 0x5c, 0x0a];

/** The outline of `text`: null where nothing stands in it. Linear in the text, and no deeper in the stack for its depth. */
export function outlineOf(text: string): OutlineNode | null {
  const open: OutlineNode[] = [];
  let root: OutlineNode | null = null;
  let key: Key | null = null;
  let at = 0;

  const inObject = () => open.at(-1)?.type === "object";
  const attach = (type: OutlineNode["type"], from: number, to: number) => {
    const number = type === "word" && /^-?[0-9]/.test(text.slice(from, from + 2))
      ? Number(text.slice(from, to))
      : null;
    const said = type === "text" ? readText(text.slice(from, to)) : null;
    const node: OutlineNode = { type, key, from, to, isClosed: true, children: [], text: said, number };
    key = null;
    const parent = open.at(-1);
    if (parent !== undefined) parent.children.push(node);
    else root ??= node;
    return node;
  };
  const endKey = () => {
    if (key !== null) attach("missing", key.valueFrom ?? key.to, at);
  };
  const close = (type: "object" | "list") => {
    if (!open.some((node) => node.type === type)) return;
    endKey();
    for (;;) {
      const node = open.pop()!;
      node.isClosed = node.type === type;
      node.to = node.isClosed ? at + 1 : at;
      if (node.isClosed) return;
    }
  };

  while (at < text.length) {
    if (text.charCodeAt(at) <= SPACE) {
      at++;
      continue;
    }
    const char = text[at]!;
    if (char === "{" || char === "[") {
      if (!inObject() || key !== null) open.push(attach(char === "{" ? "object" : "list", at, text.length));
      at++;
    } else if (char === "}" || char === "]") {
      close(char === "}" ? "object" : "list");
      at++;
    } else if (char === '"') {
      const to = endOfText(text, at);
      const known: Key | null = key;
      if (inObject() && (known === null || known.valueFrom === null)) {
        endKey();
        key = { name: readText(text.slice(at, to)), from: at, to, valueFrom: null };
      } else attach("text", at, to);
      at = to;
    } else if (char === ":") {
      at++;
      if (key !== null) (key as Key).valueFrom ??= at;
    } else if (char === ",") {
      endKey();
      at++;
    } else {
      WORD.lastIndex = at;
      const to = at + (WORD.exec(text)?.[0].length ?? 1);
      if (!inObject() || key !== null) attach("word", at, to);
      at = to;
    }
  }
  endKey();
  for (const node of open) [node.isClosed, node.to] = [false, text.length];
  return root;
}

/** Past the closing quote, or at the end of the line where there is none: JSON has no line break in a text. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === QUOTE) return at + 1;
    else if (unit === LINE_BREAK) return at;
  }
  return text.length;
}

/** What a text in quotes says; as it is written where its escapes are broken. */
function readText(quoted: string): string {
  if (!quoted.includes("\\")) {
    return quoted.slice(1, quoted.endsWith('"') && quoted.length > 1 ? -1 : undefined);
  }
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.replace(/^"|"$/g, "");
  }
}

/** The member of an object that a name means: of several the last, which is the one that JSON readers take. */
export function memberOf(node: OutlineNode | null | undefined, name: string): OutlineNode | undefined {
  return node?.type === "object" ? node.children.findLast(({ key }) => key?.name === name) : undefined;
}

/** A place in a file where something can be typed. */
export interface CursorPlace {
  /** From the root, of the object a key is typed into, or of the value itself. */
  readonly path: readonly (string | number)[];
  readonly wants: "key" | "value";
  /** What stands there already, quotes included; empty where nothing does. */
  readonly from: number;
  readonly to: number;
  /** The keys that the object has beside this one. */
  readonly taken: readonly string[];
}

/** What can be typed at `position`; null outside of everything. */
export function cursorPlace(root: OutlineNode | null, position: number): CursorPlace | null {
  const path: (string | number)[] = [];
  let node = root;
  for (;;) {
    if (node === null || !isInside(node, position)) return null;
    const { children }: OutlineNode = node;
    const at = children.findIndex((child) => spanFrom(child) <= position && position <= child.to);
    const child = children[at];
    const isKey = child?.key !== null && child !== undefined &&
      (child.key!.valueFrom === null ? position <= child.key!.to : position < child.key!.valueFrom);
    if (node.type === "object" && (child === undefined || isKey)) {
      const taken = children.flatMap((other) =>
        other === child || other.key === null ? [] : [other.key.name]
      );
      const { from, to } = child?.key ?? { from: position, to: position };
      return position > to || position < from ? null : { path, wants: "key", from, to, taken };
    }
    const index = at < 0 ? children.filter(({ to }) => to < position).length : at;
    path.push(child?.key?.name ?? index);
    if (child === undefined || child.type === "missing") {
      return { path, wants: "value", from: position, to: position, taken: [] };
    }
    if (child.type === "text" || child.type === "word") {
      const isOn = child.from <= position;
      return isOn ? { path, wants: "value", from: child.from, to: child.to, taken: [] } : null;
    }
    if (!isInside(child, position)) return null;
    node = child;
  }
}

function isInside({ type, from, to, isClosed }: OutlineNode, position: number): boolean {
  return (type === "object" || type === "list") && from < position &&
    (isClosed ? position < to : position <= to);
}

function spanFrom({ key, from }: OutlineNode): number {
  return key?.from ?? from;
}
