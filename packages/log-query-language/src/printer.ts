/** Prints a tree as a query that parses to the same tree. */
import { type Field, type FileField, nameField, nameFileField } from './fields.ts';
import { printJsonNumber } from './jsonNumbers.ts';
import { levels } from './levels.ts';
import type { AnyQuery, AnyTerm, BodyValue, FieldValue, FileQuery, Query } from './tree.ts';

/**
 * Uses only the brackets and quotes that the text needs. Parts with characters that a word with stars cannot hold, such as a
 * blank, are a bug of the caller: the parser never returns them.
 */
export function printQuery(query: Query): string {
  // A query for entries has no file fields.
  return printTree(query, field => nameField(field as Field));
}

export function printFileQuery(query: FileQuery): string {
  // A query for files has no entry fields.
  return printTree(query, field => nameFileField(field as FileField));
}

type Name = (field: Field | FileField) => string;

function printTree(query: AnyQuery, name: Name): string {
  if (query.kind === 'or') return query.trees.map(tree => printOperand(tree, name)).join(' OR ');
  if (query.kind === 'and') return query.trees.map(tree => printFactor(tree, name)).join(' ');
  if (query.kind === 'not') return `-${printAtom(query.tree, name)}`;
  return printTerm(query, name);
}

/** Prints an operand of OR. */
function printOperand(query: AnyQuery, name: Name): string {
  return query.kind === 'or' ? `(${printTree(query, name)})` : printTree(query, name);
}

/** Prints an operand of AND. */
function printFactor(query: AnyQuery, name: Name): string {
  return query.kind === 'and' || query.kind === 'or' ? `(${printTree(query, name)})` : printTree(query, name);
}

/** Prints the operand of a minus. */
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
  // A leading star changes nothing, and protects a first character that cannot begin a value.
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
  if (/[:=<>]/.test(word)) throw notExpressibleError(word);
  if (/^[-"]/.test(word)) return requireWord(`*${word}`, false);
  return requireWord(parts.length === 1 ? `${word}*` : word, false);
}

function requireWord(word: string, isInList: boolean): string {
  if (isValueBegin(word) && isValueWord(word, isInList)) return word;
  throw notExpressibleError(word);
}

function notExpressibleError(word: string): TypeError {
  return new TypeError(`No query can say ${word}.`);
}

/** Whether the text needs no quotes at the start of a term, as a text or as a name. */
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
