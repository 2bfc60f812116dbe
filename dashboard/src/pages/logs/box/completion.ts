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

export const fieldsShownMax = 8;
export const valuesShownMax = 12;
const guessesShownMax = 3;
const searchesShownMax = 8;

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

const operators: Readonly<Record<string, string>> = {
  OR: 'one side or the other',
  NOT: 'excludes what follows',
  AND: 'both; optional',
};

export const comparisons: Readonly<Record<string, string>> = {
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
};

export function listOptions(place: Place, known: Known): Group[] {
  const typing = findTyping(place.text, place.caret);
  if (typing.kind === 'number') return [];
  if (typing.kind === 'operator') return fillGroups([['Comparisons', listComparisons(typing, known)]]);
  if (typing.kind === 'value') {
    // Users compare numbers more often than they look for one.
    return fillGroups([
      ['Comparisons', typing.written === '' && !typing.isInList ? listComparisons(typing, known) : []],
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

/** True if the list should open by itself: something is typed. */
export function isBegun({ text, caret }: Place): boolean {
  const typing = findTyping(text, caret);
  return typing.kind !== 'name' || typing.written !== '';
}

/** Returns the values that start with the prefix, in any letter case. */
export function filterValues(values: readonly KnownValue[], prefix: string): KnownValue[] {
  const lower = prefix.toLowerCase();
  return values.filter(({ value }) => value.toLowerCase().startsWith(lower));
}

type Typed<Kind extends Typing['kind']> = Place & { typing: Extract<Typing, { kind: Kind }> };

export function fillGroups(groups: readonly (readonly [string, readonly Option[]])[]): Group[] {
  return groups.filter(([, options]) => options.length > 0).map(([title, options]) => ({ title, options }));
}

export function listSearches({ text }: Place, searches: readonly string[]): Option[] {
  const begun = text.trim().toLowerCase();
  const fitting = searches.filter(each => each.toLowerCase().startsWith(begun) && each !== text.trim());
  const shown = fitting.slice(0, begun === '' ? searchesShownMax : guessesShownMax);
  const options = shown.map(
    (search): Option => ({
      key: `search ${search}`,
      label: search,
      about: '',
      edit: { from: 0, to: text.length, insert: search },
      isWhole: true,
    }),
  );
  if (begun !== '' || options.length === 0) return options;
  return [
    ...options,
    { key: 'forget', label: 'Forget recent searches', about: '', edit: null, isWhole: false },
  ];
}

function listFields(
  { text, typing }: Typed<'name'>,
  written: string,
  fields: readonly KnownField[],
): Option[] {
  const counted = new Map(fields.map(({ name, entries }) => [name, entries]));
  const names = [...new Set([...counted.keys(), ...Object.keys(reservedFields)])];
  const ranked = names
    .map(name => ({ name, rank: rankName(name, written) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.rank - other.rank);
  // Replaces only the name of an existing term.
  const hasSign = /^:?[=<>:]/.test(text.slice(typing.to));
  return ranked.slice(0, fieldsShownMax).map(({ name }): Option => {
    const whole = writeName(resolveField(name));
    const entries = counted.get(name);
    return {
      key: `field ${name}`,
      label: whole,
      about: reservedFields[name] ?? (entries === undefined ? '' : formatShort(entries)),
      edit: { from: typing.from, to: typing.to, insert: hasSign ? whole.slice(0, -1) : whole },
      isWhole: false,
    };
  });
}

/** Ranks where a name matches: at its start, at the start of a part, anywhere, or nowhere. */
export function rankName(name: string, written: string): number {
  const at = name.toLowerCase().indexOf(written.toLowerCase());
  if (at < 0) return Number.POSITIVE_INFINITY;
  if (at === 0) return 0;
  return /[._-]/.test(name[at - 1] ?? '') ? 1 : 2;
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

export function listOperators({ from, to }: { from: number; to: number }, written: string): Option[] {
  return Object.entries(operators)
    .filter(([operator]) => operator.startsWith(written))
    .map(([operator, about]) => ({
      key: operator,
      label: operator,
      about,
      edit: { from, to, insert: `${operator} ` },
      isWhole: false,
    }));
}

function listValues({ text, typing }: Typed<'value'>, known: Known): Option[] {
  const { field, from, to, isInList } = typing;
  const written = readWritten(typing.written, typing.isQuoted);
  if (unlistedKinds.includes(field.kind)) return [];
  const values =
    field.kind === 'level' ? listLevels(written, known.values) : filterValues(known.values, written);
  const options = values.slice(0, valuesShownMax).map(({ value, count }): Option => {
    const insert = writeValue(field, value, isInList);
    return {
      key: `value ${value}`,
      label: value === '' ? '""' : value,
      about: count > 0 ? formatShort(count) : '',
      edit: { from, to, insert: isInList ? insert : closeTerm(insert, text, to) },
      isWhole: !isInList,
    };
  });
  if (typing.written !== '' || isInList) return options;
  const insert = closeTerm('*', text, to);
  return [
    ...options,
    { key: 'any', label: '*', about: 'any value', edit: { from, to, insert }, isWhole: true },
  ];
}

/** Lists all levels, even those that do not occur, and matches synonyms. */
function listLevels(written: string, counted: readonly KnownValue[]): KnownValue[] {
  const meant = readLevel(written);
  return levels
    .filter(level => level.startsWith(written.toLowerCase()) || level === meant)
    .map(value => ({ value, count: counted.find(each => each.value === value)?.count ?? 0 }))
    .reverse();
}

function listComparisons(
  { field, from, to }: { field: Field; from: number; to: number },
  known: Known,
): Option[] {
  const isNumber = known.fields.some(({ name, kind }) => kind === 'number' && name === nameField(field));
  if (!isNumber) return [];
  return Object.entries(comparisons).map(([sign, about]) => ({
    key: sign,
    label: sign,
    about,
    edit: { from, to, insert: sign },
    isWhole: false,
  }));
}

/** Adds a space unless there is one. */
export function closeTerm(insert: string, text: string, to: number): string {
  return /^[\s)]/.test(text.slice(to)) ? insert : `${insert} `;
}
