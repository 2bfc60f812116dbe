/**
 * Plans queries with a parser. The log store decides which lines match as long as their labels are not in doubt; a thread parses the other lines
 * one by one.
 */

import type { WindowField } from '@tapedeck/log-entries';
import {
  type AmountField,
  type AmountUnit,
  allOf,
  anyOf,
  type Condition,
  everything,
  isExtracted,
  negate,
  nothing,
} from '@tapedeck/log-query-language';
import {
  type ChosenLabel,
  type CompareOperator,
  compileMatcher,
  convertFilterMatcher,
  type Extraction,
  type LabelFilter,
  type LabelFormat,
  parseJsonPath,
  parseLogfmtKey,
  type Stage,
} from '@tapedeck/logql';
import { canChange, composeTemplate, planLabelFormats } from './composedLabels.ts';
import { composeMatcher } from './labelConditions.ts';
import type { LabelFields } from './labelFields.ts';
import { composeLineFilter } from './lineConditions.ts';
import { aliases } from './lineLabels.ts';
import { openReader } from './lineReaders.ts';
import { isThere, isValueField, MemberFields, type ValueField } from './memberFields.ts';

export type ParserPlan = {
  /** Matches lines that match the query without being parsed. If `isWhole` is false, it also matches others. */
  exact: Condition;
  isWhole: boolean;
  members: MemberFields;
};

/** Plans the stages from the parser on; null without the parser. `planStages` plans line filters and the stages before it. */
export async function planParsedStages(
  stages: readonly Stage[],
  fields: LabelFields,
): Promise<ParserPlan | null> {
  const first = stages.findIndex(({ kind }) => !['lineFilter', 'labelFilter'].includes(kind));
  const parser = stages[first];
  const reader = parser === undefined ? null : openReader(parser);
  if (parser === undefined || reader === null) return null;
  const members = new MemberFields(fields, reader);
  const conditions: Condition[] = [];
  for (const stage of stages.slice(first)) {
    const condition = stage === parser ? await planFirst(stage, members) : await planStage(stage, members);
    members.isParsed ||= ['json', 'logfmt'].includes(stage.kind);
    if (condition === null) return { exact: allOf(conditions), isWhole: false, members };
    if (condition.kind !== 'everything') conditions.push(condition);
  }
  return { exact: allOf(conditions), isWhole: true, members };
}

/** Plans the stage that finds the labels. */
async function planFirst(stage: Stage, members: MemberFields): Promise<Condition | null> {
  if (stage.kind !== 'logfmt' && stage.kind !== 'json') return everything;
  if (stage.extractions.length === 0) return everything;
  return stage.kind === 'json'
    ? planPaths(stage.extractions, members)
    : planPairs(stage.extractions, members);
}

/** Returns null if the stage must be evaluated line by line. */
async function planStage(stage: Stage, members: MemberFields): Promise<Condition | null> {
  switch (stage.kind) {
    case 'lineFilter':
      return members.line === null ? everything : composeLineFilter(stage, members.line);
    case 'json':
      return stage.extractions.length > 0 || members.isChanged || !members.reader.isJson ? null : everything;
    case 'logfmt':
      if (members.isChanged || !members.reader.isJson) return null;
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

/** A path finds the member that a label of its keys would stand for, unless the line has another one for that label. */
async function planPaths(
  extractions: readonly Extraction[],
  members: MemberFields,
): Promise<Condition | null> {
  if (members.isChanged || members.isParsed) return null;
  for (const { name, expression } of extractions) {
    const keys = parseJsonPath(expression).filter(isPlainKey);
    const isWhole = keys.length === parseJsonPath(expression).length;
    // A key with an underscore would be another way to the label.
    const doubts = keys
      .slice(1)
      .map((key, index): Condition => ({ kind: 'bodyExactly', text: `${keys[index]}_${key}` }));
    if (!isWhole || !canChange(name) || !(await members.extract(name, keys.join('_'), doubts))) return null;
  }
  // With paths, the parser does not skip blanks before the object.
  members.doubt({ kind: 'matches', field: { kind: 'body' }, expression: '^\\s' });
  return everything;
}

/** Unlike without named keys, the last pair with a key counts, even without a value, and pairs with the label's own name count, too. */
async function planPairs(
  extractions: readonly Extraction[],
  members: MemberFields,
): Promise<Condition | null> {
  const keys = extractions.map(({ expression }) => parseLogfmtKey(expression));
  if (new Set(keys).size < keys.length) return null; // only the last label gets the value
  for (const [index, { name }] of extractions.entries()) {
    const key = keys[index] ?? name;
    const end = '(?:[\\x00-\\x20]|$)';
    const [spelled, spelledName] = [key, name].map(text => text.replaceAll('_', '[^a-zA-Z0-9]'));
    const doubts = [
      `${spelled}(?:${end}|=(?s:.*[^a-zA-Z0-9_])${spelled}=)`,
      ...(name === key ? [] : [`(?:^|[^a-zA-Z0-9_])${spelledName}(?:=|${end})`]),
    ].map((each): Condition => ({ kind: 'matches', field: { kind: 'body' }, expression: each }));
    if (!canChange(name) || !(await members.extract(name, key, doubts))) return null;
  }
  return everything;
}

function isPlainKey(key: string | number): key is string {
  return typeof key === 'string' && /^[a-zA-Z0-9]+$/.test(key);
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
      const matcher = convertFilterMatcher(filter.matcher);
      // Lines that are not JSON have an error, so they match filters for errors.
      if (matcher.name.startsWith('__error')) return compileMatcher(matcher)('') ? everything : null;
      const found = await members.find(matcher.name, true);
      return found && composeMatcher(matcher, found);
    }
    case 'number': {
      const found = await findValues(filter.name, members, null);
      return found && composeComparison(filter, found);
    }
    case 'duration':
    case 'size': {
      const unit = filter.kind === 'size' ? 'bytes' : 'nanoseconds';
      const found = await findValues(filter.name, members, unit);
      return found && composeComparison(filter, found);
    }
    default:
      return null;
  }
}

/** Finds fields to compare or add up, and marks values other than numbers as doubtful. null: evaluate line by line. */
export async function findValues(
  label: string,
  members: MemberFields,
  unit: AmountUnit | null,
): Promise<ValueField[] | null> {
  const texts = await members.find(label, unit !== null);
  const found = unit === null ? texts : convertAll(texts, unit);
  if (found === null) return null;
  const values = found.filter(isValueField);
  if (values.length < found.length || values.length === 0) return null;
  for (const field of values) members.doubtNumber(field);
  return values;
}

/** Returns null if the store converts only some of the fields. */
function convertAll(fields: readonly WindowField[] | null, unit: AmountUnit): AmountField[] | null {
  const converted = fields?.flatMap((field): AmountField[] =>
    isExtracted(field) && field.kind !== 'amount' ? [{ kind: 'amount', field, unit }] : [],
  );
  return converted?.length === fields?.length ? (converted ?? null) : null;
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
