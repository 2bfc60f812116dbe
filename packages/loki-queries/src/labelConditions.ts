/** Translates matchers and label filters to conditions of the log store. */

import {
  type LogField,
  type LogLevel,
  logLevels,
  readLevelSynonym,
  type WindowField,
} from '@tapedeck/log-entries';
import {
  allOf,
  anyOf,
  type Condition,
  everything,
  type FieldValue,
  isExtracted,
  levelSynonyms,
  negate,
  nothing,
  type ParsedField,
  type TextField,
} from '@tapedeck/log-query-language';
import { anchor, compileMatcher, type Matcher, writeForStore } from '@tapedeck/logql';
import type { LabelFields } from './labelFields.ts';
import { unknownService } from './lineLabels.ts';

/** `levelWord` is what the text means as a level; without it, the text itself. */
type LevelMatcher = Matcher & { levelWord?: string };

/** Translates a selector. Levels also match the names that other programs use. */
export async function composeSelector(matchers: readonly Matcher[], fields: LabelFields): Promise<Condition> {
  const conditions = await Promise.all(
    matchers.map(async matcher => composeMatcher(addLevelWord(matcher), await fields.find(matcher.name))),
  );
  return allOf(conditions.filter(({ kind }) => kind !== 'everything'));
}

/** Only for levels: metadata of these names keep the word that was sent. */
function addLevelWord(matcher: Matcher): LevelMatcher {
  const { name, operator, value } = matcher;
  if (!['level', 'detected_level', 'severity'].includes(name) || operator.includes('~')) return matcher;
  return { ...matcher, levelWord: readLevelSynonym(levelSynonyms, value) ?? value };
}

/** The label is the first of the fields that an entry has; without any, it is empty. */
export function composeMatcher(matcher: LevelMatcher, fields: readonly WindowField[]): Condition {
  const isNegated = matcher.operator.startsWith('!');
  const positive = { ...matcher, operator: matcher.operator.endsWith('~') ? '=~' : '=' } as const;
  const holds = composePositive(positive, fields);
  return isNegated ? negate(holds) : holds;
}

function composePositive(matcher: LevelMatcher, [field, ...others]: readonly WindowField[]): Condition {
  if (field === undefined) return compileMatcher(matcher)('') ? everything : nothing;
  if (holdsForAll(matcher, field)) return everything;
  if (field.kind === 'dataset' || field.kind === 'pattern') return composeText(matcher, { kind: field.kind });
  if (field.kind === 'composed') return composeText(matcher, field);
  if (field.kind !== 'metadata' && !isExtracted(field)) return composeLevelOrService(matcher, field, others);
  const own = composeText(matcher, field);
  if (others.length === 0 && !compileMatcher(matcher)('')) return own;
  const isThere = composeField(field, [{ kind: 'present' }]);
  const rest = composePositive(matcher, others);
  return anyOf([allOf([isThere, own]), simplifyAnd(negate(isThere), rest)]);
}

/** Recognises the usual matchers for all entries. The store then need not check each entry. */
function holdsForAll({ operator, value }: Matcher, { kind }: WindowField): boolean {
  if (operator !== '=~') return false;
  return value === '.*' || (value === '.+' && ['resource', 'level', 'dataset'].includes(kind));
}

function composeLevelOrService(
  matcher: LevelMatcher,
  { kind }: LogField,
  others: readonly WindowField[],
): Condition {
  return kind === 'level' ? composeLevel(matcher, others) : composeService(matcher);
}

function simplifyAnd(one: Condition, other: Condition): Condition {
  if (other.kind === 'everything') return one;
  return allOf([one, other]);
}

/** Every entry has one of the four levels. Another word may be metadata of a push request. */
function composeLevel(matcher: LevelMatcher, others: readonly WindowField[]): Condition {
  const holds = compileMatcher({ ...matcher, value: matcher.levelWord ?? matcher.value });
  const levels: LogLevel[] = logLevels.filter(level => holds(level));
  if (levels.length === logLevels.length) return everything;
  if (levels.length > 0) return { kind: 'level', levels };
  if (matcher.operator !== '=' || others.length > 0 || matcher.value === '') return nothing;
  return composeText(matcher, { kind: 'metadata', path: matcher.name });
}

function composeService(matcher: Matcher): Condition {
  if (matcher.operator === '=' && matcher.value === '') return nothing; // entries without a name have `unknown_service`
  const own = composeText(matcher, { kind: 'resource' });
  const isNamed: Condition = { kind: 'field', field: { kind: 'resource' }, values: [{ kind: 'present' }] };
  const holds = compileMatcher(matcher);
  if (holds(unknownService)) return anyOf([own, negate(isNamed)]);
  return holds('') ? allOf([own, isNamed]) : own;
}

type AnyTextField = TextField | ParsedField;

function composeField(field: AnyTextField, values: readonly FieldValue[]): Condition {
  return { kind: 'field', field, values } as Condition; // valid for both kinds of fields
}

/** Compares the text of a field. A missing path counts as an empty text. */
function composeText({ operator, value }: Matcher, field: AnyTextField): Condition {
  if (operator === '=~') {
    const words = listWords(value);
    if (words === null) return { kind: 'matches', field, expression: anchor(writeForStore(value)) };
    return composeField(
      field,
      words.map(text => ({ kind: 'equals', text })),
    );
  }
  if (value !== '') return composeField(field, [{ kind: 'equals', text: value }]);
  return anyOf([
    composeField(field, [{ kind: 'equals', text: '' }]),
    negate(composeField(field, [{ kind: 'present' }])),
  ]);
}

/** Splits expressions like `a|b|c`, which dashboards write, into their texts; null for other expressions. */
function listWords(expression: string): string[] | null {
  const words = expression.split('|').map(word => word.replaceAll(/\\([.\-/:@])/g, '$1'));
  const isPlain = expression.split('|').every(word => /^(?:[\w \-/:@=,]|\\[.\-/:@])+$/.test(word));
  return isPlain ? words : null;
}
