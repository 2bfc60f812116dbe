/** Judges rules over windows of log entries by what has arrived since the last look, many rules with one question. */
import { advance } from '@tapedeck/alert-rules';
import { Failure } from '@tapedeck/failures';
import type { ArrivedQuestion, LogArrivals } from '../../ports/logQueries.ts';
import { composeRuleFilter, composeWatched, readSplit } from '../ruleQuestions.ts';
import type { Step, Watched } from './changes.ts';
import { judgeNewPatterns } from './newPatterns.ts';

type Arrivals = Pick<LogArrivals, 'countArrived' | 'findNewPatterns'>;

const spanMsMax = 60_000; // after a long absence, so that no question becomes too large
const togetherMsMax = 10_000; // a question costs about what it costs to look at the entries of so long a time

export type Judged = { watched: Watched; step: Step };

/** Moves each on, at most to `settledMs`. Throws while the store is away. */
export async function judgeWindows(
  arrivals: Arrivals,
  rules: readonly Watched[],
  { settledMs, signal }: { settledMs: number; signal: AbortSignal },
): Promise<Judged[]> {
  const judged: Judged[] = [];
  // Those that had trouble are asked by themselves, so that nobody has it with them.
  const troubled = rules.filter(({ watch }) => watch.trouble !== null).map(one => [one]);
  const well = groupByPlace(rules.filter(({ watch }) => watch.trouble === null));
  for (const group of [...well, ...troubled])
    judged.push(...(await judgeBoldly(arrivals, group, { settledMs, signal })));
  return judged;
}

/** Each rule has a place of its own when it begins, or goes on from what was stored; nearly the same place is one question. */
function groupByPlace(rules: readonly Watched[]): Watched[][] {
  const groups: Watched[][] = [];
  let endsBefore = Number.NEGATIVE_INFINITY;
  for (const one of rules.toSorted((first, second) => placeOf(first) - placeOf(second))) {
    if (placeOf(one) < endsBefore) groups.at(-1)!.push(one);
    else {
      groups.push([one]);
      endsBefore = placeOf(one) + togetherMsMax;
    }
  }
  return groups;
}

/** Up to where it is judged. */
function placeOf({ watch }: Watched): number {
  return watch.windows.at;
}

/** Where there is trouble, each half by itself: in the end those alone have it who make it. */
async function judgeBoldly(
  arrivals: Arrivals,
  group: readonly Watched[],
  until: { settledMs: number; signal: AbortSignal },
): Promise<Judged[]> {
  const [only, ...others] = group;
  if (only === undefined) return [];
  if (others.length === 0) return [await judgeAlone(arrivals, only, until)];
  try {
    return await judgeGroup(arrivals, group, until);
  } catch (error) {
    if (isAway(error) || until.signal.aborted) throw error;
    const middle = Math.ceil(group.length / 2);
    return [
      ...(await judgeBoldly(arrivals, group.slice(0, middle), until)),
      ...(await judgeBoldly(arrivals, group.slice(middle), until)),
    ];
  }
}

/** What came between the first's place and its own is not for a rule that is further on. */
async function judgeGroup(
  arrivals: Arrivals,
  group: readonly Watched[],
  { settledMs, signal }: { settledMs: number; signal: AbortSignal },
): Promise<Judged[]> {
  const from = Math.min(...group.map(placeOf));
  const until = Math.min(settledMs, from + spanMsMax);
  const due = group.filter(one => placeOf(one) < until);
  if (due.length === 0) return [];
  const [fresh, counted] = [due.filter(isOfPatterns), due.filter(one => !isOfPatterns(one))];
  const judged: Judged[] = [];
  const span = { fromMicros: from * 1000, toMicros: until * 1000 };
  const filters = fresh.map(({ rule }) => composeRuleFilter(rule));
  const patterns = filters.length === 0 ? [] : await arrivals.findNewPatterns(filters, span, signal);
  for (const [index, watched] of fresh.entries()) {
    const found = patterns[index]!.filter(({ ms }) => ms >= placeOf(watched));
    judged.push({ watched, step: judgeNewPatterns(watched, { found, until }) });
  }
  const counts = await arrivals.countArrived(span, counted.map(composeQuestion), signal);
  const windows = counted.map((watched, index) => {
    const { rule, watch } = watched;
    const { state, transitions } = advance(composeWatched(rule)!, watch.windows, {
      tallies: counts[index]!.filter(({ ms }) => ms >= placeOf(watched)),
      until,
    });
    return { watched, step: { windows: state, transitions, trouble: null } };
  });
  return [...judged, ...windows];
}

function isOfPatterns({ rule }: Watched): boolean {
  return rule.condition.kind === 'new_pattern';
}

async function judgeAlone(
  arrivals: Arrivals,
  watched: Watched,
  span: { settledMs: number; signal: AbortSignal },
): Promise<Judged> {
  try {
    const [judged] = await judgeGroup(arrivals, [watched], span);
    return judged ?? { watched, step: { windows: watched.watch.windows, transitions: [], trouble: null } };
  } catch (error) {
    if (isAway(error) || !(error instanceof Failure)) throw error;
    return { watched, step: { windows: watched.watch.windows, transitions: [], trouble: error.message } };
  }
}

/** Throws where the language has changed since the rule was made. */
function composeQuestion({ rule, watch }: Watched): ArrivedQuestion {
  const field = readSplit(rule);
  return {
    filter: composeRuleFilter(rule),
    by: field && { field, known: Object.keys(watch.windows.values) },
  };
}

export function isAway(error: unknown): boolean {
  return error instanceof Failure && error.code === 'engine_unavailable';
}
