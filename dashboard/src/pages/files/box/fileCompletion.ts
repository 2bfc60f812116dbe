/** Completes file queries at the caret. Callers pass in the fields and values. */

import {
  type FileField,
  fileFieldNames,
  findFileTyping,
  nameFileField,
  printFileQuery,
  resolveFileField,
  type Typing,
} from '@tapedeck/log-query-language';
import {
  closeTerm,
  fillGroups,
  listComparisons,
  listNames,
  listOperators,
  listSearches,
  listTermValues,
} from '../../../queryBox/completion.ts';
import type { Group, Option, Place } from '../../../queryBox/options.ts';
import { readWritten } from '../../logs/box/quoting.ts';
import { equalsTerm } from '../queryText.ts';

export type KnownFiles = {
  paths: readonly string[];
  /** Values of the field at the caret. */
  values: readonly string[];
  /** Newest first. */
  searches: readonly string[];
};

const about: Readonly<Record<(typeof fileFieldNames)[number], string>> = {
  name: 'file name',
  path: 'folder',
  type: 'image, video or audio',
  mimeType: 'such as image/png',
  size: 'in bytes',
  width: 'in pixels',
  height: 'in pixels',
  duration: 'in seconds',
  id: 'this file',
  key: 'where it is stored',
  exempt: 'kept forever: true or false',
};

const numbers: readonly FileField['kind'][] = ['size', 'width', 'height', 'duration'];
/** Fields whose values are nearly all different. */
const unlisted: readonly FileField['kind'][] = ['id', 'key', 'size', 'width', 'height', 'duration'];

export function listFileOptions(place: Place, known: KnownFiles): Group[] {
  const typing = findFileTyping(place.text, place.caret);
  if (typing.kind === 'number') return fillGroups([['Bytes', listSizes(place, typing)]]);
  if (typing.kind === 'operator') return fillGroups([['Comparisons', listNumberComparisons(typing)]]);
  if (typing.kind === 'value') {
    const compares = typing.written === '' && !typing.isInList;
    return fillGroups([
      ['Comparisons', compares ? listNumberComparisons(typing) : []],
      ['Values', listValues(place, typing, known.values)],
    ]);
  }
  const written = readWritten(typing.written, typing.isQuoted);
  const searches = ['Recent searches', listSearches(place, known.searches)] as const;
  const isBlank = place.text.trim() === '';
  return fillGroups([
    ...(isBlank ? [searches] : []),
    ['Fields', listFields(place, typing, { written, paths: known.paths })],
    ['Operators', typing.isBehindTerm && !typing.isQuoted ? listOperators(typing, written) : []],
    ...(isBlank ? [] : [searches]),
  ]);
}

/** Returns the field at the caret and the typed start of its value; null if there is none to complete. */
export function findWantedFileValues({ text, caret }: Place): { field: FileField; prefix: string } | null {
  const typing = findFileTyping(text, caret);
  if (typing.kind !== 'value' || unlisted.includes(typing.field.kind)) return null;
  const [prefix = ''] = readWritten(typing.written, typing.isQuoted).split('*');
  return { field: typing.field, prefix };
}

type Name = Extract<Typing<FileField>, { kind: 'name' }>;
type WrittenName = { written: string; paths: readonly string[] };
type Value = Extract<Typing<FileField>, { kind: 'value' }>;
type TypedNumber = Extract<Typing<FileField>, { kind: 'number' }>;

function listFields({ text }: Place, typing: Name, { written, paths }: WrittenName): Option[] {
  return listNames({ ...typing, text, written }, [...fileFieldNames, ...paths], name => {
    const reserved = fileFieldNames.find(each => each === name);
    return { whole: writeFieldName(name), about: reserved ? about[reserved] : 'metadata' };
  });
}

function listValues({ text }: Place, typing: Value, values: readonly string[]): Option[] {
  const lower = readWritten(typing.written, typing.isQuoted).toLowerCase();
  const fitting = values.filter(value => value.toLowerCase().startsWith(lower));
  const offered = fitting.map(value => ({
    value,
    about: '',
    insert: writeFileValue(typing.field, value, typing.isInList),
  }));
  return listTermValues({ ...typing, text }, offered);
}

function listNumberComparisons({
  field,
  from,
  to,
}: {
  field: FileField;
  from: number;
  to: number;
}): Option[] {
  return numbers.includes(field.kind) ? listComparisons({ from, to }) : [];
}

const powers = { K: 1, M: 2, G: 3 };

/** Converts `5MiB` to bytes, which the language expects. */
function listSizes({ text }: Place, { field, from, to, written }: TypedNumber): Option[] {
  const [, number, letter, ending] = /^(\d+(?:\.\d+)?)([KMG])(B|iB?)?$/iu.exec(written) ?? [];
  if (field.kind !== 'size' || number === undefined || letter === undefined) return [];
  // The expression matches no other letters.
  const unit = letter.toUpperCase() as keyof typeof powers;
  const isDecimal = ending?.length === 1 && /b/i.test(ending); // with a B, the user means the decimal unit
  const bytes = String(Math.round(Number(number) * (isDecimal ? 1000 : 1024) ** powers[unit]));
  const edit = { from, to, insert: closeTerm(bytes, text, to) };
  return [
    { key: 'bytes', label: bytes, about: `${number} ${unit}${isDecimal ? 'B' : 'iB'}`, edit, isWhole: true },
  ];
}

/** Includes the colon. */
function writeFieldName(name: string): string {
  return printFileQuery(equalsTerm(nameFileField(resolveFileField(name)), 'x')).slice(0, -1);
}

/** Quotes a value if needed, which is more often inside a list. */
function writeFileValue(field: FileField, value: string, isInList: boolean): string {
  const text = { kind: 'equals', text: value } as const;
  const start = writeFieldName(nameFileField(field)).length;
  if (!isInList) return printFileQuery({ kind: 'field', field, values: [text] }).slice(start);
  const pair = printFileQuery({ kind: 'field', field, values: [text, text] }).slice(start);
  return pair.slice(1, (pair.length - 1) / 2);
}
