/** Splits a query into a condition for the log store and stages to evaluate line by line. */
import {
  allOf,
  anyOf,
  type Condition,
  everything,
  nothing,
  type TextField,
} from '@tapedeck/log-query-language';
import {
  convertFilterMatcher,
  type LabelFilter,
  type LogQuery,
  type Matcher,
  type Stage,
} from '@tapedeck/logql';
import { composeMatcher, composeSelector } from './labelConditions.ts';
import type { LabelFields } from './labelFields.ts';
import { composeLineFilter, guessPattern } from './lineConditions.ts';
import { isNoNumber } from './memberFields.ts';
import { composeNumberGuess } from './numberGuesses.ts';
import { compareNumber, type ParserPlan, planParsedStages } from './parserPlans.ts';

export type StagePlan = {
  /** Matches every line of the query whose `numbers` are numbers. If `isWhole` is false, it also matches other lines. */
  condition: Condition;
  /** Also matches lines with values that are not numbers: they pass filters, with an error label. */
  wider: Condition;
  /** Whether the store's result is exactly the query's. */
  isWhole: boolean;
  /** Labels that filters compare as numbers. */
  numbers: readonly MetadataField[];
  /** Conditions on labels that a parser would find; null if the store cannot evaluate any. */
  members: ParserPlan | null;
};

export type MetadataField = Extract<TextField, { kind: 'metadata' }>;

type Progress = {
  conditions: Condition[];
  wider: Condition[];
  isWhole: boolean;
  numbers: MetadataField[];
  /** No stage has changed the line yet. */
  isLineOwn: boolean;
  /** `own`: only the entry's labels; `parsed`: parsers added some; `changed`: anything may have happened. */
  labels: 'own' | 'parsed' | 'changed';
  /** The store can evaluate all stages on the line, and those on labels before a parser. */
  isWholeButParsed: boolean;
  /** Labels from parsers have the names that the line contains. */
  isNamedInLine: boolean;
  /** All parsers read JSON, which quotes texts. */
  isAllJson: boolean;
};

export async function planStages(query: LogQuery, fields: LabelFields): Promise<StagePlan> {
  const selector = await composeSelector(query.matchers, fields);
  const progress: Progress = {
    conditions: [selector],
    wider: [selector],
    isWhole: true,
    numbers: [],
    isLineOwn: true,
    labels: 'own' as const,
    isNamedInLine: true,
    isWholeButParsed: true,
    isAllJson: true,
  };
  for (const stage of query.stages) await planStage(stage, progress, fields);
  const { conditions, wider, isWhole, numbers, isWholeButParsed } = progress;
  const found = await planParsedStages(query.stages, fields);
  const members = found && { ...found, isWhole: found.isWhole && isWholeButParsed };
  return { condition: join(conditions), wider: join(wider), isWhole, numbers, members };
}

/** Excludes lines that the store knows not to match. */
export function narrow(condition: Condition, { members }: StagePlan): Condition {
  if (members === null || members.exact.kind === 'everything') return condition;
  const { mustBeRead } = members.members;
  const possible = mustBeRead === nothing ? members.exact : anyOf([members.exact, mustBeRead]);
  return condition.kind === 'everything' ? possible : allOf([condition, possible]);
}

function join(conditions: readonly Condition[]): Condition {
  return allOf(conditions.filter(isSelective));
}

function loseWhole(progress: Progress): void {
  progress.isWhole = false;
  progress.isWholeButParsed = false;
}

function addCondition({ conditions, wider }: Progress, condition: Condition): void {
  conditions.push(condition);
  wider.push(condition);
}

async function planStage(stage: Stage, progress: Progress, fields: LabelFields): Promise<void> {
  switch (stage.kind) {
    case 'lineFilter': {
      if (!progress.isLineOwn)
        progress.isWhole = false; // `planParsedStages` decides whether the store knows the changed line
      else {
        const condition = composeLineFilter(stage, null);
        if (condition === null) loseWhole(progress);
        addCondition(progress, condition ?? guessPattern(stage));
      }
      return;
    }
    case 'labelFilter':
      return planLabelFilter(stage.filter, progress, fields);
    case 'decolorize':
    case 'lineFormat':
      progress.isLineOwn = false;
      break;
    case 'json':
    case 'logfmt':
    case 'regexp':
    case 'pattern':
      // The store does not know what parsers find in changed lines.
      progress.isNamedInLine &&= 'extractions' in stage && stage.extractions.length === 0;
      progress.isAllJson &&= stage.kind === 'json';
      progress.labels = progress.labels === 'changed' || !progress.isLineOwn ? 'changed' : 'parsed';
      break;
    case 'unpack':
      progress.labels = progress.labels === 'changed' || !progress.isLineOwn ? 'changed' : 'parsed';
      progress.isLineOwn = false;
      break;
    default:
      progress.labels = 'changed';
  }
  progress.isWhole = false;
}

async function planLabelFilter(filter: LabelFilter, progress: Progress, fields: LabelFields): Promise<void> {
  if (progress.labels === 'own') {
    const found = await composeOwn(filter, fields);
    if (found === null) loseWhole(progress);
    else {
      progress.conditions.push(found.condition);
      progress.wider.push(found.wider);
      progress.numbers.push(...found.numbers);
    }
    return;
  }
  if (progress.labels === 'parsed') addCondition(progress, await guessParsed(filter, { fields, progress }));
}

type OwnFilter = { condition: Condition; wider: Condition; numbers: readonly MetadataField[] };

/** Returns null if the filter must be evaluated line by line. */
async function composeOwn(filter: LabelFilter, fields: LabelFields): Promise<OwnFilter | null> {
  switch (filter.kind) {
    case 'match': {
      if (filter.matcher.name.startsWith('__error')) return null;
      const condition = composeMatcher(
        convertFilterMatcher(filter.matcher),
        await fields.find(filter.matcher.name),
      );
      return { condition, wider: condition, numbers: [] };
    }
    case 'and':
    case 'or': {
      const left = await composeOwn(filter.left, fields);
      const right = await composeOwn(filter.right, fields);
      if (left === null || right === null) return null;
      const combine = (sides: readonly Condition[]) => (filter.kind === 'and' ? allOf(sides) : anyOf(sides));
      return {
        condition: combine([left.condition, right.condition]),
        wider: combine([left.wider, right.wider]),
        numbers: [...left.numbers, ...right.numbers],
      };
    }
    case 'number':
      return composeNumber(filter, fields);
    default:
      return null;
  }
}

/** Values that are not numbers pass with an error, so a thread must evaluate their lines. */
async function composeNumber(
  { name, operator, value }: Extract<LabelFilter, { kind: 'number' | 'duration' | 'size' }>,
  fields: LabelFields,
): Promise<OwnFilter | null> {
  const [field, ...others] = await fields.find(name);
  if (field?.kind !== 'metadata' || others.length > 0) return null;
  const condition = compareNumber(field, { operator, value });
  return { condition, wider: anyOf([condition, isNoNumber(field)]), numbers: [field] };
}

type Guessing = { fields: LabelFields; progress: Progress };

/** Returns a condition that holds for every line that passes the filter after a parser. */
async function guessParsed(filter: LabelFilter, guessing: Guessing): Promise<Condition> {
  const { fields, progress } = guessing;
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const sides = [await guessParsed(filter.left, guessing), await guessParsed(filter.right, guessing)];
      if (filter.kind === 'and') return allOf(sides.filter(isSelective));
      return sides.every(isSelective) ? anyOf(sides) : everything;
    }
    case 'match':
      return guessText(filter.matcher, guessing);
    case 'number':
      return progress.isNamedInLine
        ? composeNumberGuess(filter, await isOwn(filter.name, fields))
        : everything;
    default:
      return everything;
  }
}

function isSelective({ kind }: Condition): boolean {
  return kind !== 'everything';
}

/** The line contains the value literally, unless it is escaped or broken there, or the entry itself has the label. */
async function guessText(matcher: Matcher, { fields, progress }: Guessing): Promise<Condition> {
  const { name, operator, value } = matcher;
  if (operator !== '=' || value === '' || name.startsWith('__')) return everything;
  const isQuoted = progress.isAllJson && !unquotedInJson.test(value);
  return anyOf([
    { kind: 'bodyExactly', text: isQuoted ? `"${value}"` : value },
    { kind: 'bodyExactly', text: '\\' },
    ...(value.includes(' ') ? [brokenSign] : []), // labels have a blank in its place
    composeMatcher(matcher, await fields.findUsed(name)),
  ]);
}

/** Matches numbers, words, objects and lists. */
const unquotedInJson = /^(?:[-0-9{[]|(?:true|false|null)$)/;

const brokenSign: Condition = { kind: 'bodyExactly', text: '\ufffd' };

async function isOwn(name: string, fields: LabelFields): Promise<Condition> {
  const found = await fields.findUsed(name);
  return anyOf(
    found.map(
      (field): Condition =>
        field.kind === 'metadata' ? { kind: 'field', field, values: [{ kind: 'present' }] } : everything,
    ),
  );
}
