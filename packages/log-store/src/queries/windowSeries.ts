/** Aggregates matches in time windows that may overlap, grouped by any number of fields. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import type {
  LogFilter,
  LogWindowsQuestion,
  SplitWindows,
  WindowField,
  WindowMeasure,
} from '@tapedeck/log-entries';
import { isExtracted, isParsedField } from '@tapedeck/log-query-language';
import { formatMatches, formatWhole } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { formatExtracted } from './extractedFields.ts';
import { formatFieldText } from './fields.ts';
import type { KnownWords } from './knownWords.ts';
import { findWords } from './partWords.ts';
import { runQuery } from './queryRunner.ts';
import { withoutCounts } from './querySettings.ts';
import { Binder, bindMicros, formatValue, numberPattern } from './series.ts';
import {
  divideIntoGranules,
  type Granules,
  joinGranules,
  mayHaveFewWindows,
  shortGranulesMax,
} from './windowJoins.ts';

type WindowsRequest = LogWindowsQuestion & { signal: AbortSignal };

type Drawn = [values: string[], points: [number, number][], isApart: 0 | 1];

/** Measures windows. If the measure allows, it adds up granules that windows share, unless too many of them have entries. */
export async function findWindows(
  deps: CountDeps,
  filter: LogFilter,
  request: WindowsRequest,
): Promise<SplitWindows[] | null> {
  const granules = divideIntoGranules(request);
  const known = await findWords(deps.words, filter, request.signal);
  const question = { deps, filter, request, known };
  const found = await draw(question, granules);
  if (found !== null) return granules === null ? found : joinGranules(found, granules, request);
  return granules !== null && mayHaveFewWindows(granules) ? draw(question, null) : null;
}

/** Returns null if there are too many points. */
async function draw(
  question: Omit<Draft, 'binder'>,
  granules: Granules | null,
): Promise<SplitWindows[] | null> {
  const { deps, request } = question;
  const draft = { ...question, binder: new Binder() };
  const sql = granules === null ? formatOverlapping(draft) : formatGranules(draft, granules);
  const settings = {
    ...withoutCounts,
    precise_float_parsing: 1,
    max_rows_to_group_by: request.pointsMax,
    group_by_overflow_mode: 'break',
  };
  const statement = { sql, parameters: draft.binder.parameters, settings };
  const rows = await runQuery(deps.runner, { weight: 'heavy', signal: request.signal }, statement);
  const drawn = rows as unknown as Drawn[]; // matches the SELECT
  const points = drawn.reduce((total, [, own]) => total + own.length, 0);
  return points >= request.pointsMax ? null : readDrawn(drawn);
}

/** In turns, because there may be 200,000 groups. */
async function readDrawn(drawn: readonly Drawn[]): Promise<SplitWindows[]> {
  const takeTurn = takeTurns();
  const found: SplitWindows[] = [];
  for (const [values, points, isApart] of drawn) {
    found.push({ values, isApart: isApart === 1, points });
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  return found;
}

type Draft = {
  deps: CountDeps;
  filter: LogFilter;
  request: WindowsRequest;
  binder: Binder;
  known: KnownWords | null;
};

function formatGranules(draft: Draft, { lengthMicros, count: granules }: Granules): string {
  const { request, binder } = draft;
  const { firstMicros, rangeMicros, count } = request.windows;
  // A single window of any length: its start may exceed exact numbers.
  if (count === 1 && lengthMicros === rangeMicros) return formatGroups(draft, 'toUInt16(0)');
  const start = binder.bind('Int64', firstMicros - rangeMicros + 1);
  const length = binder.bind('Int64', lengthMicros);
  const type = granules <= shortGranulesMax ? 'UInt16' : 'UInt32';
  return formatGroups(draft, `to${type}(intDiv(toUnixTimestamp64Micro(timestamp) - ${start}, ${length}))`);
}

/** Groups each entry into every window that contains it. */
function formatOverlapping(draft: Draft): string {
  const { request, binder } = draft;
  const { firstMicros, stepMicros, rangeMicros, count } = request.windows;
  const first = binder.bind('Int64', firstMicros);
  const step = binder.bind('Int64', stepMicros);
  const range = binder.bind('Int64', rangeMicros);
  const micros = 'toUnixTimestamp64Micro(timestamp)';
  const from = `greatest(0, intDiv(${micros} - ${first} + ${step} - 1, ${step}))`;
  // Never negative after the first moment, so the division rounds down.
  const to = `least(${binder.bind('Int64', count)}, intDiv(${micros} + ${range} - ${first} - 1, ${step}) + 1)`;
  return formatGroups(draft, `arrayJoin(range(toUInt32(${from}), toUInt32(${to})))`);
}

function formatGroups({ deps, filter, request, binder, known }: Draft, place: string): string {
  const { firstMicros, stepMicros, rangeMicros, count } = request.windows;
  const matches = `${formatMatches({ table: deps.table, known }, filter, binder)}
      AND timestamp > ${bindMicros(firstMicros - rangeMicros, binder)}
      AND timestamp <= ${bindMicros(firstMicros + stepMicros * (count - 1), binder)}`;
  const splits = listSplits(request.by, binder);
  const named = splits.map((_, index) => `k${index}`);
  const apart = request.apart === null ? [] : [`${formatWhole(request.apart, binder)} AS isApart`];
  const keys = request.apart === null ? named : [...named, 'isApart'];
  const selected = [...splits.map((split, index) => `${split} AS k${index}`), ...apart];
  const values =
    named.length === 0 ? '[]::Array(String)' : `[${named.map(key => `toString(${key})`).join(', ')}]`;
  const { value, condition } = formatMeasure(request.measure, binder);
  // Entries apart stay even if they cannot be measured, because the caller must know that they exist.
  const measurable = condition === null || request.apart === null ? condition : `(${condition} OR isApart)`;
  return `SELECT ${values}, groupArray((place, point)), ${request.apart === null ? '0' : 'isApart'}
    FROM (
      SELECT ${[...selected, `${place} AS place`, `${value} AS point`].join(', ')}
      FROM ${matches}${measurable === null ? '' : ` AND ${measurable}`}
      GROUP BY ${[...keys, 'place'].join(', ')}
    )
    ${keys.length === 0 ? 'HAVING count() > 0' : `GROUP BY ${keys.join(', ')}`}`;
}

function listSplits(by: LogWindowsQuestion['by'], binder: Binder): string[] {
  if (by === null) return ['dataset', 'level', 'resource', 'toJSONString(metadata)'];
  return by.map(fields => formatFirst(fields, binder).value);
}

/** Formats the value of the first of the fields that an entry has. */
function formatFirst(fields: readonly WindowField[], binder: Binder): { value: string; isPresent: string } {
  const [only, ...others] = fields;
  if (only === undefined) return { value: "''", isPresent: '0' };
  const { value, isPresent } = formatPresent(only, binder);
  // The engine groups plain columns faster than their texts.
  const plain = ['metadata', 'pattern'].includes(only.kind) || isParsedField(only) ? value : only.kind;
  if (others.length === 0) return { value: plain, isPresent };
  const rest = formatFirst(others, binder);
  return {
    value: `if(${isPresent}, ${value}, ${rest.value})`,
    isPresent: `(${isPresent} OR ${rest.isPresent})`,
  };
}

function formatPresent(field: WindowField, binder: Binder): { value: string; isPresent: string } {
  if (isExtracted(field)) return formatExtracted(field, binder);
  if (field.kind === 'composed') return { value: formatFieldText(field, binder).text, isPresent: '1' };
  return formatValue(field, binder);
}

function formatMeasure(measure: WindowMeasure, binder: Binder): { value: string; condition: string | null } {
  if (!('fields' in measure)) {
    const value = measure.statistic === 'count' ? 'count()' : 'sum(length(body))';
    return { value, condition: null };
  }
  const { value } = formatFirst(measure.fields, binder);
  const number = `toFloat64OrZero(${value})`;
  const condition = `match(${value}, '${numberPattern}')`;
  return { value: formatStatistic(measure, number, binder), condition };
}

function formatStatistic(measure: WindowMeasure, number: string, binder: Binder): string {
  switch (measure.statistic) {
    case 'sum':
      return `sumKahan(${number})`; // keeps the last digits independent of the order of parts
    case 'avg':
      return `sumKahan(${number}) / count()`;
    case 'stddev':
      return `stddevPopStable(${number})`;
    case 'stdvar':
      return `varPopStable(${number})`;
    case 'first':
      return `argMin(${number}, (timestamp, identity))`;
    case 'last':
      return `argMax(${number}, (timestamp, identity))`;
    case 'quantile': {
      const share = binder.bindDouble(measure.share);
      const sorted = `arraySort(groupArray(${number}))`;
      const rank = `(${share} * (length(sorted) - 1))`;
      const lower = `sorted[toUInt32(floor(${rank})) + 1]`;
      const upper = `sorted[least(toUInt32(floor(${rank})) + 2, length(sorted))]`;
      const weight = `(${rank} - floor(${rank}))`;
      return `arrayMap(sorted -> ${lower} * (1 - ${weight}) + ${upper} * ${weight}, [${sorted}])[1]`;
    }
    default:
      return `${measure.statistic}(${number})`;
  }
}
