/** Evaluates conditions on single entries, for tails and rules. */
import { foldCase } from '@tapedeck/values/case-folding';
import { RE2JS } from 're2js';
import { type ComposedPiece, isParsedField, type ParsedField } from './composedTexts.ts';
import { isExtracted, readExtracted } from './extractedFields.ts';
import type { Field, TextField } from './fields.ts';
import { findJsonNumber } from './jsonNumbers.ts';
import { arePlainMembers } from './members.ts';
import { holdsParts, matchesParts, matchesPieces } from './orderedParts.ts';
import { arePlainPairs } from './pairs.ts';
import {
  type BodyValue,
  type Comparison,
  type Condition,
  type FieldValue,
  findTraceId,
  isTemplate,
} from './tree.ts';

/** The queried parts of an entry. Absent texts are `''`. */
export type QueriedEntry = {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  readonly parentId: string;
  readonly dataset: string;
  readonly level: string;
  readonly resource: string;
  readonly body: string;
  readonly pattern: string;
  /** Dotted paths and their values. */
  readonly metadata: Readonly<Record<string, string>>;
};

/** Whether the template of the entry's pattern fits this template. */
type FitsTemplate = (entry: QueriedEntry, template: string) => boolean;

/** An entry for many conditions. It folds the case of its texts once, when the first condition needs them. */
export class MatchableEntry {
  readonly entry: QueriedEntry;
  readonly #fitsTemplate: FitsTemplate | null;
  #body: string | null = null;
  #resource: string | null = null;
  #parentId: string | null = null;
  #values: readonly string[] | null = null;

  /** Without `fitsTemplate`, no entry fits a template. */
  constructor(entry: QueriedEntry, fitsTemplate: FitsTemplate | null = null) {
    this.entry = entry;
    this.#fitsTemplate = fitsTemplate;
  }

  fits(template: string): boolean {
    return this.#fitsTemplate?.(this.entry, template) ?? false;
  }

  get foldedBody(): string {
    this.#body ??= foldCase(this.entry.body);
    return this.#body;
  }

  get foldedResource(): string {
    this.#resource ??= foldCase(this.entry.resource);
    return this.#resource;
  }

  get foldedParentId(): string {
    this.#parentId ??= foldCase(this.entry.parentId);
    return this.#parentId;
  }

  get foldedValues(): readonly string[] {
    this.#values ??= Object.values(this.entry.metadata).map(foldCase);
    return this.#values;
  }
}

type Predicate = (entry: MatchableEntry) => boolean;

/** Computes everything that does not depend on an entry only once. */
export function compileCondition(condition: Condition): Predicate {
  switch (condition.kind) {
    case 'and': {
      const predicates = condition.trees.map(compileCondition);
      return entry => predicates.every(matches => matches(entry));
    }
    case 'or': {
      const predicates = condition.trees.map(compileCondition);
      return entry => predicates.some(matches => matches(entry));
    }
    case 'not': {
      const matches = compileCondition(condition.tree);
      return entry => !matches(entry);
    }
    default:
      return compileTerm(condition);
  }
}

type Leaf = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

function compileTerm(term: Leaf): Predicate {
  switch (term.kind) {
    case 'everything':
      return () => true;
    case 'text':
      return compileText(term.text);
    case 'textParts': {
      const parts = term.parts.map(foldCase);
      const holds = (text: string) => holdsParts(text, parts);
      return entry =>
        holds(entry.foldedBody) || holds(entry.foldedResource) || entry.foldedValues.some(holds);
    }
    case 'content': {
      const text = foldCase(term.text);
      return entry =>
        entry.foldedBody.includes(text) || entry.foldedValues.some(value => value.includes(text));
    }
    case 'level':
      return ({ entry }) => term.levels.some(level => level === entry.level);
    case 'body':
      return compileAlternatives(term.values.map(compileBodyValue));
    case 'field':
      return compileAlternatives(term.values.map(value => compileFieldValue(term.field, value)));
    case 'bodyExactly':
      return ({ entry }) => entry.body.includes(term.text);
    case 'contains':
      return ({ entry }) => (readField(entry, term.field) ?? '').includes(term.text);
    case 'bodyPattern':
      return ({ entry }) => matchesPieces(entry.body, term.pieces);
    case 'plainMembers':
      return ({ entry }) => arePlainMembers(entry.body, term.members);
    case 'plainPairs':
      return ({ entry }) => arePlainPairs(entry.body, term.keys);
    case 'matches': {
      const expression = RE2JS.compile(term.expression);
      return ({ entry }) => expression.matcher(readField(entry, term.field) ?? '').find();
    }
    case 'compare': {
      const holds = compileComparison(term.operator, term.number);
      return ({ entry }) => holds(findJsonNumber(readField(entry, term.field) ?? ''));
    }
  }
}

function compileText(text: string): Predicate {
  const folded = foldCase(text);
  const traceId = findTraceId(text);
  return entry =>
    entry.foldedBody.includes(folded) ||
    entry.foldedResource.includes(folded) ||
    entry.foldedValues.some(value => value.includes(folded)) ||
    entry.foldedParentId === folded ||
    (traceId !== null && entry.entry.traceId === traceId);
}

function compileAlternatives(predicates: readonly Predicate[]): Predicate {
  const [only, ...others] = predicates;
  return only !== undefined && others.length === 0
    ? only
    : entry => predicates.some(matches => matches(entry));
}

function compileBodyValue(value: BodyValue): Predicate {
  if (value.kind === 'present') return ({ entry }) => entry.body !== '';
  if (value.kind === 'empty') return ({ entry }) => entry.body === '';
  const parts = value.parts.map(foldCase);
  return entry => holdsParts(entry.foldedBody, parts);
}

function compileFieldValue(field: TextField | ParsedField, value: FieldValue): Predicate {
  if (field.kind === 'pattern' && isTemplate(value)) return entry => entry.fits(value.text);
  const holds = compileTextValue(value, canBeEmpty(field));
  return ({ entry }) => holds(readField(entry, field));
}

/** Compiles a check of a field's text. The text is undefined if the path is not in the metadata. */
export function compileTextValue(value: FieldValue, isPath: boolean): (text: string | undefined) => boolean {
  if (value.kind === 'present') return isPath ? text => text !== undefined : text => text !== '';
  if (value.kind === 'equals') return text => text === value.text;
  const parts = value.parts.map(foldCase);
  return text => text !== undefined && matchesParts(foldCase(text), parts);
}

export function compileComparison(operator: Comparison, number: number): (found: number | null) => boolean {
  switch (operator) {
    case '>':
      return found => found !== null && found > number;
    case '>=':
      return found => found !== null && found >= number;
    case '<':
      return found => found !== null && found < number;
    case '<=':
      return found => found !== null && found <= number;
  }
}

/** Returns undefined if a path is not in the metadata. Other fields are always present, possibly as `''`. */
function readField(entry: QueriedEntry, field: Field | ParsedField): string | undefined {
  if (isExtracted(field)) return readExtracted(entry.body, field);
  if (field.kind === 'composed') return field.pieces.map(piece => readPiece(entry, piece)).join('');
  if (field.kind !== 'metadata') return entry[field.kind];
  return Object.hasOwn(entry.metadata, field.path) ? entry.metadata[field.path] : undefined;
}

function readPiece(entry: QueriedEntry, piece: ComposedPiece): string {
  if (piece.kind === 'text') return piece.text;
  for (const field of piece.fields) {
    const found = readField(entry, field);
    if (found !== undefined && (found !== '' || canBeEmpty(field))) return found;
  }
  return piece.otherwise;
}

/** Whether `''` is a value of the field. Other fields are absent then. */
function canBeEmpty(field: Field | ParsedField): boolean {
  return field.kind === 'metadata' || isParsedField(field);
}
