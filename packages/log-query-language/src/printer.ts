/** Writes a tree as the text that reads as the same tree again. */
import { type Field, type FileField, nameField, nameFileField } from './fields.ts';
import { printJsonNumber } from './jsonNumbers.ts';
import { levels } from './levels.ts';
import type { AnyQuery, AnyTerm, BodyValue, FieldValue, FileQuery, Query } from './tree.ts';

/**
 * With no more brackets and quotes than the text needs. Parts that no word with stars can hold, as one with a blank, come
 * from no text: they are a bug of the caller.
 */
export function printQuery(query: Query): string {
  // Fields of files stand in no query about entries.
  return printTree(query, field => nameField(field as Field));
}

/** The same for a question about files. */
export function printFileQuery(query: FileQuery): string {
  // Fields of entries stand in no query about files.
  return printTree(query, field => nameFileField(field as FileField));
}

type Name = (field: Field | FileField) => string;

function printTree(query: AnyQuery, name: Name): string {
  if (query.kind === 'or') return query.trees.map(tree => printOperand(tree, name)).join(' OR ');
  if (query.kind === 'and') return query.trees.map(tree => printFactor(tree, name)).join(' ');
  if (query.kind === 'not') return `-${printAtom(query.tree, name)}`;
  return printTerm(query, name);
}

/** Beside OR. */
function printOperand(query: AnyQuery, name: Name): string {
  return query.kind === 'or' ? `(${printTree(query, name)})` : printTree(query, name);
}

/** Beside AND. */
function printFactor(query: AnyQuery, name: Name): string {
  return query.kind === 'and' || query.kind === 'or' ? `(${printTree(query, name)})` : printTree(query, name);
}

/** Behind a minus. */
function printAtom(query: AnyQuery, name: Name): string {
  return query.kind === 'not' ? `(${printTree(query, name)})` : printFactor(query, name);
}

function printTerm(term: AnyTerm, name: Name): string {
  switch (term.kind) {
    case 'everything':
      return '*';
    case 'text':
      return isTerm(term.text) ? term.text : quote(term.text);
    case 'textParts':
      return printTextParts(term.parts);
    case 'level':
      return `level:${term.levels.length === levels.length ? '*' : printList(term.levels)}`;
    case 'body':
      return `body:${printList(term.values.map((value, _, { length }) => printBodyValue(value, length > 1)))}`;
    case 'field': {
      const values = term.values.map((value, _, { length }) => printFieldValue(value, length > 1));
      return `${printName(name(term.field))}:${printList(values)}`;
    }
    case 'compare':
      return `${printName(name(term.field))}:${term.operator}${printJsonNumber(term.number)}`;
  }
}

function printList(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : `(${values.join(',')})`;
}

function printName(name: string): string {
  return isTerm(name) ? name : quote(name);
}

function printBodyValue(value: BodyValue, isInList: boolean): string {
  if (value.kind === 'present') return '*';
  if (value.kind === 'empty') return '""';
  const [only, ...others] = value.parts;
  if (only !== undefined && others.length === 0) return printValue(only, isInList);
  const word = value.parts.join('*');
  // A star before it changes nothing, and lets it begin with what begins no value.
  return requireWord(isValueBegin(word) ? word : `*${word}`, isInList);
}

function printFieldValue(value: FieldValue, isInList: boolean): string {
  if (value.kind === 'present') return '*';
  if (value.kind === 'equals') return printValue(value.text, isInList);
  return requireWord(value.parts.join('*'), isInList);
}

function printValue(text: string, isInList: boolean): string {
  const isWord = isValueBegin(text) && !text.includes('*') && isValueWord(text, isInList);
  return isWord && !(isInList && text === 'OR') ? text : quote(text);
}

function printTextParts(parts: readonly string[]): string {
  const word = parts.join('*');
  if (/[:=<>]/.test(word)) throw unsayable(word);
  if (/^[-"]/.test(word)) return requireWord(`*${word}`, false);
  return requireWord(parts.length === 1 ? `${word}*` : word, false);
}

function requireWord(word: string, isInList: boolean): string {
  if (isValueBegin(word) && isValueWord(word, isInList)) return word;
  throw unsayable(word);
}

function unsayable(word: string): TypeError {
  return new TypeError(`No query can say ${word}.`);
}

/** Whether it stands for itself at the start of a term, as a text or as a name. */
function isTerm(text: string): boolean {
  return /^[^\s():=<>*"-][^\s():=<>*]*$/.test(text) && !/^(?:AND|OR|NOT)$/.test(text);
}

function isValueBegin(word: string): boolean {
  return /^[^:=<>"]/.test(word);
}

function isValueWord(word: string, isInList: boolean): boolean {
  return isInList ? /^[^\s(),]+$/.test(word) : /^[^\s()]+$/.test(word);
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
