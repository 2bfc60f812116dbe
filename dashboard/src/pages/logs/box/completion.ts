/** Completes log queries at the caret: fields, values, operators, recent searches. Callers pass in the data. */
import {
  type Field,
  findTyping,
  levels,
  nameField,
  readLevel,
  resolveField,
  type Typing,
} from '@tapedeck/log-query-language';
import { formatShort } from '../../../format/numbers.ts';
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
import { readWritten, writeName, writeValue } from './quoting.ts';

type KnownField = { name: string; kind: 'number' | 'text'; entries: number };
export type KnownValue = { value: string; count: number };

export type Known = {
  /** Most frequent first. */
  fields: readonly KnownField[];
  /** Values of the field at the caret, most frequent first. */
  values: readonly KnownValue[];
  resources: readonly KnownValue[];
  /** Newest first. */
  searches: readonly string[];
};

const guessesShownMax = 3;

/** Fields whose values are nearly all different. */
const unlistedKinds: readonly Field['kind'][] = ['body', 'traceId', 'parentId'];

const reservedFields: Readonly<Record<string, string>> = {
  level: 'debug, info, warn or error',
  resource: 'what wrote it',
  body: 'contains this text',
  dataset: 'where it was sent',
  traceId: 'this entry',
  parentId: 'what belongs to this entry',
  pattern: 'messages of one pattern',
};

export function listOptions(place: Place, known: Known): Group[] {
  const typing = findTyping(place.text, place.caret);
  if (typing.kind === 'number') return [];
  if (typing.kind === 'operator') return fillGroups([['Comparisons', listNumberComparisons(typing, known)]]);
  if (typing.kind === 'value') {
    // Users compare numbers more often than they look for one.
    return fillGroups([
      ['Comparisons', typing.written === '' && !typing.isInList ? listNumberComparisons(typing, known) : []],
      ['Values', listValues({ ...place, typing }, known)],
    ]);
  }
  const written = readWritten(typing.written, typing.isQuoted);
  const searches = ['Recent searches', listSearches(place, known.searches)] as const;
  const isBlank = place.text.trim() === '';
  return fillGroups([
    ...(isBlank ? [searches] : []),
    ['Fields', listFields({ ...place, typing }, written, known.fields)],
    ['Values', typing.isQuoted || written === '' ? [] : listGuesses({ ...place, typing }, written, known)],
    ['Operators', typing.isBehindTerm && !typing.isQuoted ? listOperators(typing, written) : []],
    ...(isBlank ? [] : [searches]),
  ]);
}

/** Returns the field at the caret and the typed start of its value; null if there is none. */
export function findWantedValues({ text, caret }: Place): { field: string; prefix: string } | null {
  const typing = findTyping(text, caret);
  if (typing.kind !== 'value' || unlistedKinds.includes(typing.field.kind)) return null;
  const [prefix = ''] = readWritten(typing.written, typing.isQuoted).split('*');
  return { field: nameField(typing.field), prefix };
}

/** Returns the values that start with the prefix, in any letter case. */
export function filterValues(values: readonly KnownValue[], prefix: string): KnownValue[] {
  const lower = prefix.toLowerCase();
  return values.filter(({ value }) => value.toLowerCase().startsWith(lower));
}

type Typed<Kind extends Typing['kind']> = Place & { typing: Extract<Typing, { kind: Kind }> };

function listFields(
  { text, typing }: Typed<'name'>,
  written: string,
  fields: readonly KnownField[],
): Option[] {
  const counted = new Map(fields.map(({ name, entries }) => [name, entries]));
  const names = [...counted.keys(), ...Object.keys(reservedFields)];
  return listNames({ ...typing, text, written }, names, name => {
    const entries = counted.get(name);
    const about = reservedFields[name] ?? (entries === undefined ? '' : formatShort(entries));
    return { whole: writeName(resolveField(name)), about };
  });
}

/** Suggests levels and resources that start with the word. */
function listGuesses({ text, typing }: Typed<'name'>, written: string, known: Known): Option[] {
  const level =
    written.length > 2 ? (levels.find(each => each.startsWith(written)) ?? readLevel(written)) : null;
  const resources = filterValues(known.resources, written).slice(0, guessesShownMax);
  const edit = { from: typing.from, to: typing.to };
  const make = (field: Field, value: string, about: string): Option => {
    const insert = writeName(field) + writeValue(field, value, false);
    return {
      key: insert,
      label: insert,
      about,
      edit: { ...edit, insert: closeTerm(insert, text, edit.to) },
      isWhole: true,
    };
  };
  return [
    ...(level === null ? [] : [make({ kind: 'level' }, level, '')]),
    ...resources.map(({ value, count }) => make({ kind: 'resource' }, value, formatShort(count))),
  ];
}

function listValues({ text, typing }: Typed<'value'>, known: Known): Option[] {
  const { field, isInList } = typing;
  const written = readWritten(typing.written, typing.isQuoted);
  if (unlistedKinds.includes(field.kind)) return [];
  const values =
    field.kind === 'level' ? listLevels(written, known.values) : filterValues(known.values, written);
  const offered = values.map(({ value, count }) => ({
    value,
    about: count > 0 ? formatShort(count) : '',
    insert: writeValue(field, value, isInList),
  }));
  return listTermValues({ ...typing, text }, offered);
}

/** Lists all levels, even those that do not occur, and matches synonyms. */
function listLevels(written: string, counted: readonly KnownValue[]): KnownValue[] {
  const meant = readLevel(written);
  return levels
    .filter(level => level.startsWith(written.toLowerCase()) || level === meant)
    .map(value => ({ value, count: counted.find(each => each.value === value)?.count ?? 0 }))
    .reverse();
}

type Compared = { field: Field; from: number; to: number };

function listNumberComparisons({ field, ...range }: Compared, known: Known): Option[] {
  const isNumber = known.fields.some(({ name, kind }) => kind === 'number' && name === nameField(field));
  return isNumber ? listComparisons(range) : [];
}
