/** Whether a text holds another, in linear time whatever both say. Pure. */

/** Up to here the engine's own search is fast enough on any text, and beyond it, it may take their product. */
const MAX_PLAIN = 64;

/** `text.includes(part)`. Source: Knuth, Morris and Pratt, 1977. */
export function includesText(text: string, part: string): boolean {
  if (part.length <= MAX_PLAIN) return text.includes(part);
  if (part.length > text.length) return false;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (unit === part.charCodeAt(matched)) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each beginning of `part` the length of its longest end that is also a beginning of it. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (length > 0 && unit !== part.charCodeAt(length)) length = borders[length - 1]!;
    if (unit === part.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
