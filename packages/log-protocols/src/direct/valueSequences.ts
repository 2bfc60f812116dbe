/** Reads sequences of JSON values, with or without blanks between them; a list counts as its items. Also skips values and finds line ends. */
import { mark, peek, type Reading, take } from '@tapedeck/log-entries/direct';
import type { DirectWriter } from './writer.ts';

/** Returns whether it read the whole body. */
export function readJsonValues(writer: DirectWriter, readValue: () => boolean): boolean {
  const { reading } = writer;
  for (let first = peek(reading); first !== 0; first = peek(reading)) {
    const isRead = first === mark.arrayBegin ? readItems(writer, readValue) : readValue();
    if (!isRead) return false;
  }
  return reading.at === reading.bytes.length;
}

export function readItems({ reading }: DirectWriter, readValue: () => boolean): boolean {
  if (!take(reading, mark.arrayBegin)) return false;
  if (take(reading, mark.arrayEnd)) return true;
  do if (!readValue()) return false;
  while (take(reading, mark.comma));
  return take(reading, mark.arrayEnd);
}

const newline = 0x0a;

/** Skips the next object. If brackets do not match, its parser reports it later. */
export function skipObject({ reading }: DirectWriter): boolean {
  const { bytes } = reading;
  if (peek(reading) !== mark.objectBegin) return false;
  let depth = 0;
  for (let { at } = reading; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === mark.quote) at = findStringEnd(bytes, at);
    else if (byte === mark.objectBegin || byte === mark.arrayBegin) depth++;
    else if ((byte === mark.objectEnd || byte === mark.arrayEnd) && --depth === 0) {
      reading.at = at + 1;
      return true;
    }
  }
  return false;
}

function findStringEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === mark.quote) return at;
    if (bytes[at] === mark.backslash) at++;
  }
  return bytes.length;
}

/** Reads the next name, given as its bytes in quotes, and the colon. */
export function takeName(reading: Reading, quoted: Buffer): boolean {
  peek(reading);
  const { bytes, at } = reading;
  for (let index = 0; index < quoted.length; index++) if (bytes[at + index] !== quoted[index]) return false;
  reading.at = at + quoted.length;
  return take(reading, mark.colon);
}

export function findLineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(newline, from);
  return at === -1 ? bytes.length : at;
}

/** Returns whether only blanks remain before the end of the line. */
export function endsLine(reading: Reading, lineEnd: number): boolean {
  if (reading.at > lineEnd) return false;
  peek(reading);
  return reading.at > lineEnd || reading.at === reading.bytes.length;
}
