/**
 * Changes the query by a click: requires a value, excludes it, or requires its field. Fields are named as the service
 * lists them (`level`, `player.id`, `metadata.level`). A query that does not parse is kept, with the new term added to
 * its end.
 */
import {
  allOf,
  type Field,
  type Level,
  levels,
  nameField,
  negate,
  nothing,
  parseQuery,
  printQuery,
  type Query,
  QueryMistake,
  readLevel,
  resolveField,
} from '@tapedeck/log-query-language';

type Edit = (terms: readonly Query[]) => readonly Query[];
type Asked = 'only' | 'not' | null;
/** Several values are required or excluded together. */
type Values = string | readonly string[];

/** Returns a metadata path's name in queries, distinct from the fields that every entry has. */
export function nameMetadata(path: string): string {
  return nameField({ kind: 'metadata', path });
}

/** Returns null if the text is empty or invalid. */
function readQuery(text: string): Query | null {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryMistake) return null;
    throw error;
  }
}

/** Requires this value instead of the field's others, or removes it if already required. */
export function toggleOnly(text: string, name: string, value: Values): string {
  const term = makeTerm(name, value);
  const isOn = findAsked(text, name, value) === 'only';
  return change(text, term, terms => {
    const others = terms.filter(each => !listsValues(each, name)).flatMap(each => takeValue(each, term));
    return isOn ? others : [...others, term];
  });
}

/** Excludes this value, or removes the exclusion. */
export function toggleNot(text: string, name: string, value: Values): string {
  const term = makeTerm(name, value);
  const isOn = findAsked(text, name, value) === 'not';
  return change(text, negate(term), terms => {
    const others = terms.flatMap(each => takeValue(each, term));
    // A list of the other values already excludes it.
    return isOn || others.some(each => listsValues(each, name)) ? others : [...others, negate(term)];
  });
}

/** Adds this value to the field's required ones, or removes it. */
export function toggleAlso(text: string, name: string, value: string): string {
  const term = makeTerm(name, value);
  const isOn = findAsked(text, name, value) === 'only';
  return change(text, term, terms => {
    const others = terms.flatMap(each => takeValue(each, term));
    const list = others.find(each => listsValues(each, name));
    if (isOn) return others;
    return list === undefined
      ? [...others, term]
      : others.map(each => (each === list ? addValue(list, term) : each));
  });
}

/** Requires entries without the field and drops its other terms, or removes that. */
export function toggleWithout(text: string, name: string): string {
  const [field, absent] = [resolveField(name), negate(makePresence(name))];
  const isOn = findPresence(text, name) === 'not';
  return change(text, absent, terms => {
    const others = terms.filter(each => !isOfField(each, field));
    return isOn ? others : [...others, absent];
  });
}

/** Requires entries that have the field, or removes that. */
export function togglePresent(text: string, name: string): string {
  const present = makePresence(name);
  const isOn = findPresence(text, name) === 'only';
  return change(text, present, terms => {
    const others = terms.filter(each => !isSame(each, present) && !isSame(each, negate(present)));
    return isOn ? others : [...others, present];
  });
}

/** Tells whether the query requires or excludes this value, by its own term or in a list. */
export function findAsked(text: string, name: string, value: Values): Asked {
  const term = makeTerm(name, value);
  const holding = listTerms(text).filter(each => takeValue(each, term)[0] !== each);
  if (holding.some(each => each.kind === 'not')) return 'not';
  return holding.length > 0 ? 'only' : null;
}

/** Tells whether the query requires or excludes the field as a whole. */
export function findPresence(text: string, name: string): Asked {
  const present = makePresence(name);
  const terms = listTerms(text);
  if (terms.some(each => isSame(each, negate(present)))) return 'not';
  return terms.some(each => isSame(each, present)) ? 'only' : null;
}

/** Drops a field from the query, so that its other values can be counted. */
export function dropField(text: string, name: string): string {
  const field = resolveField(name);
  return changeTerms(text, terms => terms.filter(each => !isOfField(each, field)));
}

/** Lists the fields that have their own terms. */
export function listFields(text: string): string[] {
  const names = listTerms(text).flatMap(term => findField(term) ?? []);
  return [...new Set(names.map(nameField))];
}

/** True if the query requires this value of the field and no other. */
export function requiresOnly(text: string, name: string, value: Values): boolean {
  const term = makeTerm(name, value);
  const [asked, ...others] = listTerms(text).filter(each => listsValues(each, name));
  if (asked === undefined || others.length > 0) return false;
  return takeValue(asked, term).length === 0 && takeValue(term, asked).length === 0;
}

/** An empty list means all. */
export function listLevels(text: string): readonly Level[] {
  return listTerms(text).find(term => term.kind === 'level')?.levels ?? [];
}

export function chooseLevels(text: string, chosen: readonly Level[]): string {
  const term: Query = { kind: 'level', levels: levels.filter(level => chosen.includes(level)) };
  const isNarrow = chosen.length > 0 && chosen.length < levels.length;
  const others = (terms: readonly Query[]) => terms.filter(({ kind }) => kind !== 'level');
  if (!isNarrow) return changeTerms(text, others);
  return change(text, term, terms => [...others(terms), term]);
}

/** Adds the term unless the query has it. */
export function addTerm(text: string, term: Query): string {
  return change(text, term, terms => (terms.some(each => isSame(each, term)) ? terms : [...terms, term]));
}

/** Lists the words to search for, so that results can highlight them. */
export function listWords(text: string): string[] {
  const query = readQuery(text);
  return query === null ? [] : [...new Set(collectWords(query))];
}

function collectWords(query: Query): readonly string[] {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.trees.flatMap(collectWords);
    case 'text':
      return [query.text];
    case 'textParts':
      return query.parts;
    case 'body':
      return query.values.flatMap(value => (value.kind === 'holds' ? value.parts : []));
    default:
      return [];
  }
}

/** For an unknown level, returns a term that matches nothing. */
export function makeTerm(name: string, asked: Values): Query {
  const field = resolveField(name);
  const [value = '', ...more] = typeof asked === 'string' ? [asked] : asked;
  const level = readLevel(value);
  if (field.kind === 'level') return level === null ? nothing : { kind: 'level', levels: [level] };
  if (field.kind !== 'body') {
    return { kind: 'field', field, values: [value, ...more].map(text => ({ kind: 'equals', text })) };
  }
  return { kind: 'body', values: [value === '' ? { kind: 'empty' } : { kind: 'holds', parts: [value] }] };
}

function makePresence(name: string): Query {
  const field = resolveField(name);
  if (field.kind === 'level') return { kind: 'level', levels };
  if (field.kind === 'body') return { kind: 'body', values: [{ kind: 'present' }] };
  return { kind: 'field', field, values: [{ kind: 'present' }] };
}

function change(text: string, added: Query, edit: Edit): string {
  const isMistaken = text.trim() !== '' && readQuery(text) === null;
  return isMistaken ? `${text.trim()} ${printQuery(added)}` : changeTerms(text, edit);
}

function changeTerms(text: string, edit: Edit): string {
  const isMistaken = text.trim() !== '' && readQuery(text) === null;
  return isMistaken ? text : printTerms(edit(listTerms(text)));
}

function printTerms(terms: readonly Query[]): string {
  return terms.length === 0 ? '' : printQuery(allOf(terms));
}

/** Lists the terms joined by AND. */
export function listTerms(text: string): readonly Query[] {
  const query = readQuery(text);
  if (query === null) return [];
  return query.kind === 'and' ? query.trees : [query];
}

function findField(term: Query): Field | undefined {
  if (term.kind === 'not') return findField(term.tree);
  if (term.kind === 'level' || term.kind === 'body') return { kind: term.kind };
  return term.kind === 'field' || term.kind === 'compare' ? term.field : undefined;
}

function isOfField(term: Query, field: Field): boolean {
  const found = findField(term);
  return found !== undefined && nameField(found) === nameField(field);
}

/** True for terms that list values. Two of these on one field match nothing, because an entry has one value. */
function listsValues(term: Query, name: string): boolean {
  const isList =
    term.kind === 'level' || (term.kind === 'field' && term.values.every(({ kind }) => kind === 'equals'));
  return isList && isOfField(term, resolveField(name));
}

/** Returns what is left of a term without a value. */
function takeValue(term: Query, taken: Query): readonly Query[] {
  if (term.kind === 'not') {
    return takeValue(term.tree, taken).map(rest => (rest === term.tree ? term : negate(rest)));
  }
  if (term.kind === 'level' && taken.kind === 'level') {
    const rest = term.levels.filter(level => !taken.levels.includes(level));
    if (rest.length === term.levels.length) return [term];
    return rest.length === 0 ? [] : [{ ...term, levels: rest }];
  }
  if (term.kind === 'field' && taken.kind === 'field' && isOfField(term, taken.field)) {
    const isTaken = (value: Query) => taken.values.some(one => isSame(value, { ...taken, values: [one] }));
    const rest = term.values.filter(value => !isTaken({ ...term, values: [value] }));
    if (rest.length === term.values.length) return [term];
    return rest.length === 0 ? [] : [{ ...term, values: rest }];
  }
  return isSame(term, taken) ? [] : [term];
}

function addValue(list: Query, added: Query): Query {
  if (list.kind === 'level' && added.kind === 'level') {
    const either = [...list.levels, ...added.levels];
    return { ...list, levels: levels.filter(level => either.includes(level)) };
  }
  if (list.kind !== 'field' || added.kind !== 'field') return list;
  return { ...list, values: [...list.values, ...added.values] };
}

function isSame(one: Query, other: Query): boolean {
  return printQuery(one) === printQuery(other);
}
