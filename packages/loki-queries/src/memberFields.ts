/** Finds the fields of labels that a parser finds, and collects conditions for lines in doubt. */
import type { WindowField } from '@tapedeck/log-entries';
import {
  allOf,
  anyOf,
  type ComposedField,
  type Condition,
  type ExtractedField,
  isExtracted,
  isMemberName,
  isParsedField,
  negate,
  nothing,
  type ParsedField,
} from '@tapedeck/log-query-language';
import { duplicateSuffix } from '@tapedeck/logql';
import { canChange } from './composedLabels.ts';
import type { LabelFields } from './labelFields.ts';
import { levelLabel, streamLabels } from './lineLabels.ts';
import type { LineReader } from './lineReaders.ts';

/** Can be absent; every entry has the other fields. */
export type ValueField = Extract<WindowField, { kind: 'metadata' }> | ExtractedField;

export function isValueField(field: WindowField): field is ValueField {
  return field.kind === 'metadata' || isExtracted(field);
}

const askedMax = 30; // members in a query: each makes the statement longer

/** Finds the fields of labels of parsed lines, and collects conditions for lines in doubt. */
export class MemberFields {
  readonly #fields: LabelFields;
  readonly reader: LineReader;
  readonly #doubts: Condition[] = [];
  #asked = 0;
  /** The labels that a stage names, and what the parser calls them. null: the parser finds all labels. */
  #extracted: Map<string, string> | null = null;
  /** Whether the parser has found labels. */
  isParsed = false;
  /** The fields of labels that stages changed; none: a stage removed the label. */
  readonly #changed = new Map<string, readonly WindowField[]>();
  /** The only labels that are left, besides those changed since; null: all. */
  #kept: ReadonlySet<string> | null = null;
  /** What stages made of the line; null: nothing yet. */
  line: ComposedField | null = null;

  constructor(fields: LabelFields, reader: LineReader) {
    this.reader = reader;
    this.#fields = fields;
  }

  /** Lists the label's fields by precedence. null: the store cannot tell which text of the line the label means. */
  async find(label: string, isText: boolean): Promise<readonly WindowField[] | null> {
    const changed = this.#changed.get(label);
    if (changed !== undefined) return changed;
    if (this.#kept !== null && !this.#kept.has(label)) return canChange(label) ? [] : null;
    if (streamLabels.some(known => known === label)) return this.#fields.find(label);
    if (label.endsWith(duplicateSuffix) || ++this.#asked > askedMax) return null;
    const others = await this.#fields.findUsed(label);
    if (label === levelLabel) return others; // metadata of every line, so no parser replaces it
    const key = this.#extracted === null ? label : this.#extracted.get(label);
    if (key === undefined) return others;
    const own = this.reader.find(key, isText);
    if (own === null) return null;
    if (own === undefined) return others;
    if (this.#extracted === null) return placeParsed(own, others);
    return isText ? [{ kind: 'composed', pieces: [{ kind: 'value', fields: [own], otherwise: '' }] }] : [own];
  }

  /**
   * Makes a label stand for what the parser finds under another name; lines without it have an empty label. Returns false if the store cannot tell
   * its value.
   */
  async extract(label: string, key: string, doubts: readonly Condition[]): Promise<boolean> {
    this.#extracted ??= new Map();
    if (this.#extracted.has(label) || this.#extracted.size >= askedMax) return false;
    if (label.endsWith(duplicateSuffix) || !isMemberName(key)) return false;
    for (const condition of doubts) this.doubt(condition);
    this.#extracted.set(label, key);
    return (await this.#fields.findUsed(label)).length === 0;
  }

  /** Finds fields to group by. An empty text forms a separate series, but the store cannot tell it from a missing one. */
  async findTexts(label: string): Promise<readonly WindowField[] | null> {
    const found = await this.find(label, true);
    const isRenamed = this.#changed.has(label); // empty metadata form no series, but empty labels from stages do
    const values = [{ kind: 'equals', text: '' }] as const;
    for (const field of found ?? [])
      if (field.kind === 'metadata' && isRenamed) this.doubt({ kind: 'field', field, values });
      else if (isParsedField(field) && canBeEmpty(field)) this.doubt({ kind: 'field', field, values });
    return found;
  }

  /** Marks lines as doubtful whose value is not a number. The empty label of a path is none, either. */
  doubtNumber(field: ValueField): void {
    const isEmpty = this.#extracted !== null && isExtracted(field);
    this.doubt(isEmpty ? negate(isNumber(field)) : isNoNumber(field));
  }

  change(label: string, fields: readonly WindowField[]): void {
    this.#changed.set(label, fields);
  }

  /** Removes all other labels. */
  keep(labels: readonly string[]): void {
    const kept = new Set(labels);
    for (const label of this.#changed.keys()) if (!kept.has(label)) this.#changed.set(label, []);
    this.#kept = this.#kept === null ? kept : kept.intersection(this.#kept);
  }

  /** Whether stages changed the line or labels. Then the store does not know what parsers find. */
  get isChanged(): boolean {
    return this.line !== null || this.#changed.size > 0 || this.#kept !== null || this.#extracted !== null;
  }

  doubt(condition: Condition): void {
    this.#doubts.push(condition);
  }

  /** Matches lines if the store does not know all their labels, or whether the parser fails on them. */
  get doubts(): Condition {
    return anyOf([this.reader.unclear, ...this.#doubts].filter(isPossible));
  }

  /** Matches lines that must be parsed to decide whether the query matches. In other doubtful lines, a parser finds nothing. */
  get mustBeRead(): Condition {
    return anyOf([this.reader.unclearButRead, ...this.#doubts].filter(isPossible));
  }
}

/** As in Loki, a parser's label does not replace metadata of its name, but other names of a stream label. */
function placeParsed(own: WindowField, others: readonly WindowField[]): WindowField[] {
  const ofMetadata = others.filter(({ kind }) => kind === 'metadata');
  return [...ofMetadata, own, ...others.filter(({ kind }) => kind !== 'metadata')];
}

function isPossible(condition: Condition): boolean {
  return condition !== nothing;
}

export function isThere(field: ValueField): Condition {
  return { kind: 'field', field, values: [{ kind: 'present' }] } as Condition; // valid for both kinds of fields
}

const jsonNumber = '^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$';

function isNumber(field: ValueField): Condition {
  return { kind: 'matches', field, expression: jsonNumber };
}

/** Matches lines whose value is present, but not a number. */
export function isNoNumber(field: ValueField): Condition {
  return allOf([isThere(field), negate(isNumber(field))]);
}

function canBeEmpty(field: ParsedField): boolean {
  if (field.kind === 'pair') return false; // then it is absent
  return isExtracted(field) || !field.pieces.some(piece => piece.kind === 'text' && piece.text !== '');
}
