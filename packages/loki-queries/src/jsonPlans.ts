/**
 * Plans queries with the parser `json`. The log store decides which lines match as long as their JSON is not in doubt; a thread
 * parses the other lines one by one.
 */

import type { WindowField } from '@tapedeck/log-entries';
import {
  type AskedMember,
  allOf,
  anyOf,
  type ComposedField,
  type Condition,
  everything,
  isMemberName,
  isParsedField,
  negate,
  nothing,
  type ParsedField,
} from '@tapedeck/log-query-language';
import {
  type ChosenLabel,
  type CompareOperator,
  compileMatcher,
  type LabelFilter,
  type LabelFormat,
  type Stage,
  spellFilterMatcher,
} from '@tapedeck/logql';
import { canChange, composeTemplate, planLabelFormats } from './composedLabels.ts';
import { composeMatcher } from './labelConditions.ts';
import type { LabelFields } from './labelFields.ts';
import { composeLineFilter } from './lineConditions.ts';
import { aliases, streamLabels } from './lineLabels.ts';

/** Metadata and members can be absent; every entry has the other fields. */
type ValueField = Extract<WindowField, { kind: 'metadata' | 'member' }>;

const askedMax = 30; // members in a query: each makes the statement longer

/** Finds the fields of labels of JSON lines, and collects conditions for lines in doubt. */
class MemberFields {
  readonly #fields: LabelFields;
  readonly #members = new Map<string, AskedMember>();
  readonly #doubts: Condition[] = [];
  #asked = 0;
  /** The fields of labels that stages changed; none: a stage removed the label. */
  readonly #changed = new Map<string, readonly WindowField[]>();
  /** The only labels that are left, besides those changed since; null: all. */
  #kept: ReadonlySet<string> | null = null;
  /** What stages made of the line; null: nothing yet. */
  line: ComposedField | null = null;

  constructor(fields: LabelFields) {
    this.#fields = fields;
  }

  /** Lists the label's fields by precedence. null: the store cannot tell which member the label means. */
  async find(label: string, isText: boolean): Promise<readonly WindowField[] | null> {
    const changed = this.#changed.get(label);
    if (changed !== undefined) return changed;
    if (this.#kept !== null && !this.#kept.has(label)) return canChange(label) ? [] : null;
    if (streamLabels.some(known => known === label)) return this.#fields.find(label);
    if (!isMemberName(label) || label.endsWith('_extracted')) return null;
    if (++this.#asked > askedMax) return null;
    const known = this.#members.get(label);
    this.#members.set(label, { key: label, isText: isText || (known?.isText ?? false) });
    return [{ kind: 'member', key: label }, ...(await this.#fields.findUsed(label))];
  }

  /** Finds fields to group by. An empty text forms a separate series, but the store cannot tell it from a missing one. */
  async findTexts(label: string): Promise<readonly WindowField[] | null> {
    const found = await this.find(label, true);
    for (const field of found ?? [])
      if (isParsedField(field) && canBeEmpty(field))
        this.doubt({ kind: 'field', field, values: [{ kind: 'equals', text: '' }] });
    return found;
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

  /** Whether stages changed the line or labels. What parsers find then, the store does not know. */
  get isChanged(): boolean {
    return this.line !== null || this.#changed.size > 0 || this.#kept !== null;
  }

  doubt(condition: Condition): void {
    this.#doubts.push(condition);
  }

  /** Matches lines if the store does not know all their labels, or whether the parser fails on them. */
  get doubts(): Condition {
    return anyOf([this.#unclear, ...this.#doubts]);
  }

  /** Matches lines that must be parsed to decide whether the query matches. In other doubtful lines, a parser finds nothing. */
  get mustBeRead(): Condition {
    return anyOf([allOf([beginsAsObject, this.#unclear]), ...this.#doubts]);
  }

  get #unclear(): Condition {
    return negate({ kind: 'plainMembers', members: [...this.#members.values()] });
  }
}

const beginsAsObject: Condition = { kind: 'matches', field: { kind: 'body' }, expression: '^\\s*\\{' };

export type JsonPlan = {
  /** Matches lines that match the query without being parsed. If `isWhole` is false, it also matches others. */
  exact: Condition;
  isWhole: boolean;
  members: MemberFields;
};

/** Plans the stages from the parser on; null without the parser. `planStages` plans line filters and the stages before it. */
export async function planJsonStages(
  stages: readonly Stage[],
  fields: LabelFields,
): Promise<JsonPlan | null> {
  const first = stages.findIndex(({ kind }) => kind === 'json');
  const isLineOwn = stages.slice(0, first).every(({ kind }) => ['lineFilter', 'labelFilter'].includes(kind));
  if (first < 0 || !isLineOwn) return null;
  const members = new MemberFields(fields);
  const conditions: Condition[] = [];
  for (const stage of stages.slice(first)) {
    const condition = await planStage(stage, members);
    if (condition === null) return { exact: allOf(conditions), isWhole: false, members };
    if (condition.kind !== 'everything') conditions.push(condition);
  }
  return { exact: allOf(conditions), isWhole: true, members };
}

/** Returns null if the stage must be evaluated line by line. */
async function planStage(stage: Stage, members: MemberFields): Promise<Condition | null> {
  switch (stage.kind) {
    case 'lineFilter':
      return members.line === null ? everything : composeLineFilter(stage, members.line);
    case 'json':
      return stage.extractions.length === 0 && !members.isChanged ? everything : null;
    case 'logfmt':
      if (members.isChanged) return null;
      if (stage.extractions.length > 0 || stage.isStrict || stage.keepsEmpty) return null;
      members.doubt({ kind: 'bodyExactly', text: '=' }); // logfmt finds nothing in lines without it
      return everything;
    case 'drop':
      return planDrop(stage.labels, members);
    case 'keep':
      return planKeep(stage.labels, members);
    case 'lineFormat':
      return planLineFormat(stage.template, members);
    case 'labelFormat':
      return planLabelFormat(stage.formats, members);
    case 'labelFilter':
      return planFilter(stage.filter, members);
    default:
      return null;
  }
}

function planDrop(labels: readonly ChosenLabel[], members: MemberFields): Condition | null {
  const others = labels.filter(({ name }) => !name.startsWith('__error'));
  if (others.some(({ name, matcher }) => matcher !== null || !canChange(name))) return null;
  for (const { name } of others) members.change(name, []);
  return everything;
}

/** Another name of a stream label keeps nothing, but the store would read it as the label. */
function planKeep(labels: readonly ChosenLabel[], members: MemberFields): Condition | null {
  if (labels.some(({ name, matcher }) => matcher !== null || aliases.has(name))) return null;
  members.keep(labels.map(({ name }) => name));
  return everything;
}

async function planLineFormat(template: string, members: MemberFields): Promise<Condition | null> {
  const line = await composeTemplate(template, label => members.find(label, true));
  if (line === null) return null;
  members.line = line;
  return everything;
}

async function planLabelFormat(
  formats: readonly LabelFormat[],
  members: MemberFields,
): Promise<Condition | null> {
  const changes = await planLabelFormats(formats, label => members.find(label, true));
  if (changes === null) return null;
  for (const [label, fields] of changes) members.change(label, fields);
  return everything;
}

async function planFilter(filter: LabelFilter, members: MemberFields): Promise<Condition | null> {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const left = await planFilter(filter.left, members);
      const right = await planFilter(filter.right, members);
      if (left === null || right === null) return null;
      return filter.kind === 'and' ? allOf([left, right]) : anyOf([left, right]);
    }
    case 'match': {
      const matcher = spellFilterMatcher(filter.matcher);
      // Lines that are not JSON have an error, so they match filters for errors.
      if (matcher.name.startsWith('__error')) return compileMatcher(matcher)('') ? everything : null;
      const found = await members.find(matcher.name, true);
      return found && composeMatcher(matcher, found);
    }
    case 'number': {
      const found = await findValues(filter.name, members);
      return found && composeComparison(filter, found);
    }
    default:
      return null;
  }
}

/** Finds fields to compare or add up, and marks values other than numbers as doubtful. null: evaluate line by line. */
export async function findValues(label: string, members: MemberFields): Promise<ValueField[] | null> {
  const found = await members.find(label, false);
  if (found === null) return null;
  const values = found.filter((field): field is ValueField => ['metadata', 'member'].includes(field.kind));
  if (values.length < found.length || values.length === 0) return null;
  for (const field of values) members.doubt(isNoNumber(field));
  return values;
}

function isThere(field: ValueField): Condition {
  return { kind: 'field', field, values: [{ kind: 'present' }] } as Condition; // valid for both kinds of fields
}

const jsonNumber = '^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$';

function canBeEmpty(field: ParsedField): boolean {
  return field.kind === 'member' || !field.pieces.some(piece => piece.kind === 'text' && piece.text !== '');
}

/** Matches lines whose value is present, but not a number. */
export function isNoNumber(field: ValueField): Condition {
  return allOf([isThere(field), negate({ kind: 'matches', field, expression: jsonNumber })]);
}

/** Compares the first of the fields that a line has. */
function composeComparison(
  filter: { operator: CompareOperator; value: number },
  [field, ...others]: readonly ValueField[],
): Condition {
  if (field === undefined) return nothing;
  const own = compareNumber(field, filter);
  if (others.length === 0) return own;
  return anyOf([own, allOf([negate(isThere(field)), composeComparison(filter, others)])]);
}

export function compareNumber(
  field: ValueField,
  { operator, value }: { operator: CompareOperator; value: number },
): Condition {
  const compare = (sign: '>' | '>=' | '<' | '<=') =>
    ({ kind: 'compare', field, operator: sign, number: value }) as Condition; // valid for both kinds of fields
  if (operator === '==') return allOf([compare('>='), compare('<=')]);
  if (operator === '!=') return anyOf([compare('<'), compare('>')]);
  return compare(operator);
}
