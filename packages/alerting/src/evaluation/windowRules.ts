/**
 * Evaluates rules over sliding windows on new entries, many rules in one query. If a query fails, bisects the batch to find the
 * failing rules and evaluates those separately until they succeed.
 */

import type { ArrivedQuestion, SettledSpan, TimedCount } from '@tapedeck/log-store';
import { Failure } from '@tapedeck/values/failure';
import type { Facts } from '../ports/facts.ts';
import type { Arrivals, StoredEntries } from '../ports/logQueries.ts';
import type { Rule } from '../ports/records.ts';
import { composeRuleFilter, composeRuleState, isOfPatterns, readSplit } from '../ruleQueries.ts';
import { advance } from '../windows/windowEvaluation.ts';
import { composeFresh, composeResolvedQuestions, findNewIssues } from './issueQueries.ts';
import { evaluateIssues, evaluateNewPatterns } from './newPatterns.ts';
import type { Step } from './transitions.ts';
import type { Watched } from './watchedRule.ts';

type WindowDeps = {
  arrivals: Pick<Arrivals, 'countArrived' | 'findNewPatterns'>;
  logQueries: Pick<StoredEntries, 'findPatterns'>;
  facts: Pick<Facts, 'listDecidedIssues'>;
  report(error: unknown): void;
};

export type Evaluated = { watched: Watched; step: Step };

/** `endsAt`: when bisecting stops, by the monotonic clock. */
type Until = { settledMs: number; signal: AbortSignal; endsAt: number; questionMs: number };

/** When a rule began to fail on its own, and when it was last queried. */
type Doubt = { since: number; queriedAt: number };

const spanMsMax = 60_000; // after a long absence, so that no query becomes too large
const togetherMsMax = 10_000; // a query costs about as much as scanning the entries of this span
const questionMsMax = { all: 10_000, some: 4_000 }; // a query for many rules takes tens of milliseconds
const searchMsMax = 40_000; // enough to find one failing rule in a thousand
const patienceMs = 15_000; // the log store may have been busy
const pauseMsMax = 60_000;

export class WindowRules {
  readonly #deps: WindowDeps;
  readonly #doubts = new Map<string, Doubt>();

  constructor(deps: WindowDeps) {
    this.#deps = deps;
  }

  isDoubtful({ rule }: Watched): boolean {
    return this.#doubts.has(keyOf(rule));
  }

  /** Advances each rule at most to `settledMs`, healthy rules first. Throws while the store is unavailable. */
  async *evaluate(
    rules: readonly Watched[],
    { settledMs, signal }: { settledMs: number; signal: AbortSignal },
  ): AsyncGenerator<Evaluated[]> {
    const now = performance.now();
    const until = { settledMs, signal, endsAt: now + searchMsMax };
    const known = new Set(rules.map(({ rule }) => keyOf(rule)));
    for (const key of this.#doubts.keys()) if (!known.has(key)) this.#doubts.delete(key);
    const doubtful = rules.filter(one => this.isDoubtful(one));
    yield* this.#evaluateAll(
      rules.filter(one => !this.isDoubtful(one)),
      { ...until, questionMs: questionMsMax.all },
    );
    yield* this.#evaluateAll(
      doubtful.filter(({ rule }) => isDue(this.#doubts.get(keyOf(rule)), now)),
      { ...until, questionMs: questionMsMax.some },
    );
  }

  async *#evaluateAll(rules: readonly Watched[], until: Until): AsyncGenerator<Evaluated[]> {
    for (const group of groupByPlace(rules)) yield* this.#evaluateGroup(group, until);
  }

  async *#evaluateGroup(group: readonly Watched[], until: Until): AsyncGenerator<Evaluated[]> {
    const [only, ...others] = group;
    if (only === undefined) return;
    try {
      const deadline = AbortSignal.timeout(until.questionMs);
      const signal = AbortSignal.any([until.signal, deadline]);
      yield await evaluateGroup(this.#deps, group, { ...until, signal });
      for (const { rule } of group) this.#doubts.delete(keyOf(rule));
      return;
    } catch (error) {
      if (isUnavailable(error) || until.signal.aborted) throw error;
      if (others.length === 0) return yield [this.#doubt(only, error)];
    }
    const middle = Math.ceil(group.length / 2);
    for (const half of [group.slice(0, middle), group.slice(middle)]) {
      if (performance.now() > until.endsAt) return; // the next evaluation continues, without the rules found to fail
      yield* this.#evaluateGroup(half, { ...until, questionMs: questionMsMax.some });
    }
  }

  #doubt(watched: Watched, error: unknown): Evaluated {
    const { rule, watch } = watched;
    const now = performance.now();
    const since = this.#doubts.get(keyOf(rule))?.since ?? now;
    if (since === now && !(error instanceof Failure) && !isTimeout(error)) this.#deps.report(error);
    this.#doubts.set(keyOf(rule), { since, queriedAt: now });
    const isCertain =
      now - since >= patienceMs || (error instanceof Failure && error.code === 'query_invalid');
    const trouble = isCertain ? describeTrouble(error) : watch.trouble;
    return { watched, step: { windows: watch.windows, transitions: [], trouble } };
  }
}

/** A changed rule is no longer suspected. */
function keyOf({ id, generation }: Rule): string {
  return `${id} ${generation}`;
}

/** The longer a rule fails, the longer it pauses. */
function isDue(doubt: Doubt | undefined, now: number): boolean {
  if (doubt === undefined) return true;
  return now - doubt.queriedAt >= Math.min((doubt.queriedAt - doubt.since) / 2, pauseMsMax);
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

const triedAgain = 'The service keeps trying.';

function describeTrouble(error: unknown): string {
  const code = error instanceof Failure ? error.code : isTimeout(error) ? 'query_timeout' : 'internal';
  switch (code) {
    case 'query_timeout':
      return `The log engine takes too long to evaluate this rule. Narrow its query, for example with longer words, a level or a dataset. ${triedAgain}`;
    case 'overloaded':
      return `The log engine has too little memory to evaluate this rule. Narrow its query, for example with longer words, a level or a dataset. ${triedAgain}`;
    case 'internal':
      return `The log engine refuses to evaluate this rule; the log of the service says why. ${triedAgain}`;
    default:
      return error instanceof Error ? error.message : triedAgain;
  }
}

/** Each rule continues from its own place. Rules at nearly the same place share a query. */
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

/** The time up to which the rule has been evaluated. */
function placeOf({ watch }: Watched): number {
  return watch.windows.at;
}

/** Entries between the first rule's place and a later rule's place do not count for the later rule. */
async function evaluateGroup(
  deps: WindowDeps,
  group: readonly Watched[],
  { settledMs, signal }: Pick<Until, 'settledMs' | 'signal'>,
): Promise<Evaluated[]> {
  const from = Math.min(...group.map(placeOf));
  const until = Math.min(settledMs, from + spanMsMax);
  const due = group.filter(one => placeOf(one) < until);
  if (due.length === 0) return [];
  const [fresh, counted] = [
    due.filter(({ rule }) => isOfPatterns(rule)),
    due.filter(({ rule }) => !isOfPatterns(rule)),
  ];
  const span = { fromMicros: from * 1000, toMicros: until * 1000 };
  const ofPatterns = await evaluatePatterns(deps, fresh, { span, until, signal });
  const counts = await deps.arrivals.countArrived(span, counted.map(composeQuestion), signal);
  const windows = counted.map((watched, index) => {
    const { rule, watch } = watched;
    const { state, transitions } = advance(composeRuleState(rule)!, watch.windows, {
      tallies: counts[index]!.filter(({ ms }) => ms >= placeOf(watched)),
      until,
    });
    return { watched, step: { windows: state, transitions, trouble: null } };
  });
  return [...ofPatterns, ...windows];
}

type PatternSpan = { span: SettledSpan; until: number; signal: AbortSignal };

async function evaluatePatterns(
  { arrivals, logQueries, facts }: WindowDeps,
  rules: readonly Watched[],
  { span, until, signal }: PatternSpan,
): Promise<Evaluated[]> {
  if (rules.length === 0) return [];
  const ofIssues = rules.filter(({ rule }) => rule.condition.kind === 'issue');
  const projects = [...new Set(ofIssues.map(({ rule }) => rule.project))];
  const decided = new Map(
    await Promise.all(
      projects.map(async project => [project, await facts.listDecidedIssues(project)] as const),
    ),
  );
  const filters = rules.map(({ rule }) => composeFresh(rule, decided.get(rule.project) ?? []));
  const patterns = await arrivals.findNewPatterns(filters, span, signal);
  const resolvedQuestions = ofIssues.flatMap(watched =>
    composeResolvedQuestions(watched, decided.get(watched.rule.project) ?? []).map(each => ({
      watched,
      ...each,
    })),
  );
  const questions = resolvedQuestions.map(({ question }) => question);
  const counts = questions.length === 0 ? [] : await arrivals.countArrived(span, questions, signal);
  const arrived = new Map<Watched, TimedCount[]>();
  for (const [index, { watched, template }] of resolvedQuestions.entries()) {
    const own = (counts[index] ?? []).map(one => (template === null ? one : { ...one, value: template }));
    arrived.set(watched, [...(arrived.get(watched) ?? []), ...own]);
  }
  const evaluated = rules.map(async (watched, index): Promise<Evaluated> => {
    const isNext = ({ ms }: { ms: number }) => ms >= placeOf(watched);
    const found = patterns[index]!.filter(isNext);
    if (watched.rule.condition.kind !== 'issue')
      return { watched, step: evaluateNewPatterns(watched, { found, until }) };
    const step = evaluateIssues(watched, {
      fresh: await findNewIssues(logQueries, watched.rule, { found, until, signal }),
      arrived: (arrived.get(watched) ?? []).filter(isNext),
      decided: decided.get(watched.rule.project) ?? [],
      until,
    });
    return { watched, step };
  });
  return Promise.all(evaluated);
}

/** Throws if the query language has changed since the rule was made. */
function composeQuestion({ rule, watch }: Watched): ArrivedQuestion {
  const field = readSplit(rule);
  return {
    filter: composeRuleFilter(rule),
    by: field && { field, known: Object.keys(watch.windows.values) },
  };
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'engine_unavailable';
}
