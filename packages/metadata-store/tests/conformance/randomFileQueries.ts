/** Random queries about files, each with a function that answers it. Follows CONTRACT.md, 9.1 and 15, without the parser and its matchers. */
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { Chance } from './randomFiles.ts';

type SpokenQuery = { text: string; isMeant: (file: StoredFile) => boolean };

const plainWords = [
  'crash',
  'CRASH',
  'Clip',
  'ünder',
  'ÜNDER',
  '43',
  '4.5',
  '日本',
  '😀',
  '1e3',
  'old',
  'PNG',
];
const quotedWords = ['x y', 'a*', '%', '-', '\\', 'crash.png', 'clips/old', ' '];
const patterns = ['c*', '*CLIP*', '*.png', '4*', '*3', '*r*n*', '*ü*R*', '*日*', '*', 'cl*s*old'];
const numbers = ['0', '-1', '4.5', '43', '430', '640', '1000', '1e3', '5000000', '6e9'];
const metadataFields = [
  'player.id',
  'player.name',
  'tags.0',
  'tags.1',
  'metadata.size',
  '"player.id"',
  'none',
];

const fields: Record<string, (file: StoredFile) => string | number | boolean | null> = {
  name: file => file.filename,
  path: file => file.path,
  type: file => file.type,
  mimeType: file => file.mimeType,
  size: file => file.sizeBytes,
  width: file => file.width,
  height: file => file.height,
  duration: file => file.durationSeconds,
  id: file => file.id,
  key: file => file.key,
  exempt: file => file.retentionExempt,
};

export function speakQuery(chance: Chance, files: readonly StoredFile[], depth = 3): SpokenQuery {
  const way = depth === 0 ? 4 : chance.below(8);
  if (way > 3) return speakAtom(chance, files);
  const [one, other] = [speakQuery(chance, files, depth - 1), speakQuery(chance, files, depth - 1)];
  if (way === 0)
    return { text: `${chance.pick(['-', 'NOT '])}(${one.text})`, isMeant: file => !one.isMeant(file) };
  if (way === 1)
    return {
      text: `(${one.text} OR ${other.text})`,
      isMeant: file => one.isMeant(file) || other.isMeant(file),
    };
  return {
    text: `(${one.text}${chance.pick([' ', ' AND ', '  '])}${other.text})`,
    isMeant: file => one.isMeant(file) && other.isMeant(file),
  };
}

function speakAtom(chance: Chance, files: readonly StoredFile[]): SpokenQuery {
  const atom = chance.pick([speakText, speakValues, speakValues, speakComparison])(chance, files);
  if (chance.below(4) > 0) return atom;
  return { text: `${chance.pick(['-', 'NOT '])}${atom.text}`, isMeant: file => !atom.isMeant(file) };
}

/** Matches bare text in the name, the folder or a metadata value, or as the whole id or key. */
function speakText(chance: Chance, files: readonly StoredFile[]): SpokenQuery {
  if (chance.below(4) === 0) {
    const pattern = chance.pick(patterns);
    const shape = new RegExp(spellPattern(pattern), 'isu');
    return { text: pattern, isMeant: file => listTexts(file).some(text => shape.test(text)) };
  }
  const id = chance.pick(files)[chance.pick(['id', 'key'] as const)];
  const word = chance.pick([...plainWords, ...quotedWords, id]);
  const shape = new RegExp(RegExp.escape(word), 'iu');
  return {
    text: spell(chance, word),
    isMeant: file => file.id === word || file.key === word || listTexts(file).some(text => shape.test(text)),
  };
}

function speakValues(chance: Chance, files: readonly StoredFile[]): SpokenQuery {
  const [field, read] = chooseField(chance);
  const values = Array.from({ length: 1 + chance.below(3) }, () =>
    speakValue(chance, read(chance.pick(files))),
  );
  const texts = values.map(({ text }) => text);
  const list = texts.length === 1 ? texts[0] : `(${texts.join(chance.pick([',', ' OR ', ', ']))})`;
  return {
    text: `${field}${chance.pick([':', '='])}${list}`,
    isMeant: file => read(file).some(text => values.some(({ holds }) => holds(text))),
  };
}

type SpokenValue = { text: string; holds: (value: string) => boolean };

function speakValue(chance: Chance, occurring: readonly string[]): SpokenValue {
  if (chance.below(3) === 0) {
    const pattern = chance.pick(patterns);
    const shape = new RegExp(`^${spellPattern(pattern)}$`, 'isu');
    return { text: pattern, holds: value => shape.test(value) };
  }
  const word = chance.pick([...plainWords, ...quotedWords, ...occurring, ...occurring, 'image', 'true']);
  return { text: spell(chance, word), holds: value => value === word };
}

function speakComparison(chance: Chance): SpokenQuery {
  const [field, read] = chooseField(chance);
  const [operator, number] = [chance.pick(['>', '>=', '<', '<=']), chance.pick(numbers)];
  const limit = Number(number);
  const holds = (value: number) => {
    if (operator === '>') return value > limit;
    if (operator === '>=') return value >= limit;
    return operator === '<' ? value < limit : value <= limit;
  };
  return {
    text: `${field}${chance.pick([':', ''])}${operator}${number}`,
    isMeant: file => read(file).some(text => jsonNumber.test(text) && holds(Number(text))),
  };
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/iu;

type Read = (file: StoredFile) => readonly string[];

/** A built-in field without a value is absent, as the root has no folder. */
function chooseField(chance: Chance): [field: string, read: Read] {
  const field = chance.pick([...Object.keys(fields), ...metadataFields]);
  const own = fields[field];
  if (own !== undefined)
    return [
      field,
      file => {
        const value = own(file);
        return value === null || value === '' ? [] : [String(value)];
      },
    ];
  const path = field.replaceAll('"', '').replace(/^metadata\./u, '');
  return [
    field,
    file => listMetadata(file.metadata).flatMap(([found, text]) => (found === path ? [text] : [])),
  ];
}

function listTexts({ filename, path, metadata }: StoredFile): string[] {
  return [filename, path, ...listMetadata(metadata).map(([, text]) => text)];
}

function listMetadata(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) =>
    listMetadata(inner, path === '' ? key : `${path}.${key}`),
  );
}

function spellPattern(pattern: string): string {
  return pattern
    .split('*')
    .map(part => RegExp.escape(part))
    .join('.*');
}

/** Quotes where needed, and sometimes where not. */
function spell(chance: Chance, word: string): string {
  const isPlain = /^[\p{L}\p{N}\p{Extended_Pictographic}./]+$/u.test(word) && !/^(?:AND|OR|NOT)$/u.test(word);
  return isPlain && chance.below(2) === 0 ? word : `"${word.replaceAll(/["\\]/gu, '\\$&')}"`;
}
