/** Names entries so that every system can unpack them: no reserved words, no way out of the folder, no duplicates. */
import { hash } from 'node:crypto';

const nameUnitsMax = 100; // Windows allows 260 UTF-16 units for a whole path, including the target folder
const foldersUnitsMax = 100;
const nameBytesMax = 200; // Linux allows 255 for a name; a number may be added
const extensionUnitsMax = 16; // a longer extension counts as part of the name

/** Windows refuses these names with any extension. */
const reservedName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)$/i;
/** Characters that Windows refuses, and control characters that reverse or hide text. */
const refusedCharacters =
  /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffe\uffff<>:"|?*\\/]/gu;

type ArchiveNames = {
  /** Returns a safe path like the wanted one. It is unique even if case is ignored. */
  assign(wanted: { folders: readonly string[]; name: string }): string;
};

/** Names the entries of one archive. It remembers each name as a number, so 100,000 names take about 10 MB. */
export function openArchiveNames(): ArchiveNames {
  const files = new Set<number>();
  const folders = new Set<number>();
  /** The last number that a repeated name got. */
  const numbers = new Map<number, number>();

  return {
    assign({ folders: wantedFolders, name }) {
      const unitsMax = Math.max(4, Math.floor(foldersUnitsMax / Math.max(1, wantedFolders.length)) - 1);
      let folder = '';
      for (const wanted of wantedFolders) {
        const safe = makeSafe({ stem: clean(wanted), extension: '' }, Math.min(unitsMax, nameUnitsMax));
        const free = findFree(safe, 1, candidate => !files.has(digest(folder + candidate))).name;
        folders.add(digest(folder + free));
        folder += `${free}/`;
      }
      const safe = makeSafe(splitName(clean(name)), nameUnitsMax);
      const first = digest(folder + safe);
      const free = findFree(safe, numbers.get(first) ?? 1, candidate => {
        const hash = digest(folder + candidate);
        return !files.has(hash) && !folders.has(hash);
      });
      files.add(digest(folder + free.name));
      if (free.number > 1) numbers.set(first, free.number);
      return folder + free.name;
    },
  };
}

type Found = { name: string; number: number };

/** Returns the name itself, or the name with a number above `last`. */
function findFree(name: string, last: number, isFree: (candidate: string) => boolean): Found {
  if (last === 1 && isFree(name)) return { name, number: 1 };
  const { stem, extension } = splitName(name);
  const addNumber = (number: number) => `${stem} (${number})${extension}`;
  // Doubles the step each time, then goes back, so that many numbers chosen by users need few lookups.
  let taken = last;
  let step = 1;
  while (!isFree(addNumber(taken + step))) {
    taken += step;
    step *= 2;
  }
  let number = taken + step;
  while (number - taken > 1) {
    const middle = Math.floor((taken + number) / 2);
    if (isFree(addNumber(middle))) number = middle;
    else taken = middle;
  }
  return { name: addNumber(number), number };
}

function clean(name: string): string {
  return trim(name.toWellFormed().normalize('NFC').replaceAll(refusedCharacters, '_'));
}

function makeSafe({ stem, extension }: { stem: string; extension: string }, unitsMax: number): string {
  const space = Math.max(1, unitsMax - extension.length);
  const short = trim(
    cut(stem, { units: space, bytes: nameBytesMax - Buffer.byteLength(extension) }) + extension,
  );
  const base = short.slice(0, short.includes('.') ? short.indexOf('.') : short.length).trimEnd();
  if (short === '' || reservedName.test(base)) return `_${short}`;
  return short;
}

/** Windows drops trailing dots and spaces, so `a.` and `a` would be one file. */
function trim(name: string): string {
  return name.trimStart().replace(/[.\s]+$/u, '');
}

function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || name.length - dot > extensionUnitsMax) return { stem: name, extension: '' };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
}

/** Cuts a text to the limits without splitting a character. */
function cut(text: string, limits: { units: number; bytes: number }): string {
  let result = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (result.length + character.length > limits.units || bytes > limits.bytes) break;
    result += character;
  }
  return result;
}

/** Returns 48 bits of a hash. If two names collide, one gets a number that it didn't need. */
function digest(path: string): number {
  const folded = path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
  return hash('sha1', folded, 'buffer').readUIntBE(0, 6);
}
