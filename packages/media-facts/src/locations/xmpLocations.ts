/**
 * Removes locations from XMP: values of properties whose names begin with GPS become spaces. Looks at each byte a few times at most, because
 * strangers send these packets.
 */

/** Packets larger than this are not from pictures. They are blanked entirely, because searching them would be slow. */
export const packetBytesMax = 1024 * 1024;
const propertiesMax = 4096; // real ones have some thirty

const nameLettersMax = 64;
const blanksMax = 16; // around the equals sign
const attributesBytesMax = 1024; // of an element

/** Returns null if nothing has to change. */
export function blankXmp(packet: Buffer): Buffer | null {
  if (packet.length > packetBytesMax) return blankAll(packet);
  const text = packet.toString('latin1'); // one character per byte
  const property = new RegExp(`:GPS[\\w.-]{0,${nameLettersMax}}`, 'gi');
  const value = openValues(text);
  let blanked: Buffer | null = null;
  let properties = 0;
  while (property.test(text)) {
    if (++properties > propertiesMax) return blankAll(packet);
    const found = value(property.lastIndex);
    if (found === null) continue;
    const { start, end } = found;
    property.lastIndex = end;
    if (text.slice(start, end).trim() === '') continue;
    blanked ??= Buffer.from(packet);
    blanked.fill(' ', start, end);
  }
  return blanked;
}

function blankAll(packet: Buffer): Buffer {
  return Buffer.alloc(packet.length, ' ');
}

type Value = { start: number; end: number };

/** Returns a function that finds the value after a name: of an attribute in quotes, or an element's text. Names must come in order. */
function openValues(text: string): (nameEnd: number) => Value | null {
  const find = { '"': openSearch(text, '"'), "'": openSearch(text, "'") };
  const findOpening = openSearch(text, '<');
  const findClosing = openSearch(text, '>');
  const findAttribute = (nameEnd: number): Value | null => {
    const sign = skipBlanks(text, nameEnd);
    if (text[sign] !== '=') return null;
    const quoteAt = skipBlanks(text, sign + 1);
    const quote = text[quoteAt];
    if (quote !== '"' && quote !== "'") return null;
    const start = quoteAt + 1;
    const end = find[quote](start);
    return end < text.length && end < findOpening(start) ? { start, end } : null;
  };
  const findElement = (nameEnd: number): Value | null => {
    const hasAttributes = /\s/.test(text[nameEnd] ?? '');
    const closing = hasAttributes ? findClosing(nameEnd) : nameEnd;
    if (text[closing] !== '>' || closing - nameEnd > attributesBytesMax || findOpening(nameEnd) < closing)
      return null;
    return { start: closing + 1, end: findOpening(closing + 1) };
  };
  return nameEnd => findAttribute(nameEnd) ?? findElement(nameEnd);
}

/** Returns a function that finds the next such letter; the text's length: none. Remembers the last one, so that no part is searched twice. */
function openSearch(text: string, letter: string): (from: number) => number {
  let searchedFrom = 0;
  let next = -1;
  return from => {
    if (next < from || from < searchedFrom) {
      const at = text.indexOf(letter, from);
      next = at < 0 ? text.length : at;
      searchedFrom = from;
    }
    return next;
  };
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at - start < blanksMax && /\s/.test(text[at] ?? '')) at += 1;
  return at;
}
