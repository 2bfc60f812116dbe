/**
 * Evaluates rules on newly arrived entries every two seconds, backing off when slow. State changes and their notifications are written
 * in one transaction. Unchanged state is persisted only occasionally, because evaluating the same entries again gives the same result.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { OrderedIds } from '../outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { Facts } from '../ports/facts.ts';
import type { Arrivals, StoredEntries } from '../ports/logQueries.ts';
import type { AlertStore, Rule } from '../ports/records.ts';
import { isOfEntries } from '../ruleQueries.ts';
import type { Transition } from '../windows/states.ts';
import { loadAlertContext, nothingToShow } from './alertContext.ts';
import { MissingFields } from './missingFields.ts';
import { RuleClock } from './ruleClock.ts';
import { RuleStates } from './ruleState.ts';
import { evaluateSessions, evaluateStorage } from './serverAndQuotaRules.ts';
import { type AlertingDeps, composeOutcome, type Step } from './transitions.ts';
import type { Watched } from './watchedRule.ts';
import { type Evaluated, isUnavailable, WindowRules } from './windowRules.ts';

export type WatchDeps = {
  store: AlertStore;
  arrivals: Arrivals;
  logQueries: Pick<StoredEntries, 'findFields' | 'findPatterns' | 'findSeries'>;
  facts: Facts;
  clock: Clock;
  address: { publicUrl: string };
  report(error: unknown): void;
  /** Reports progress; null: this process no longer evaluates rules. */
  showProgress(progress: WatchProgress | null): void;
};

export type WatchProgress = {
  rules: number;
  firing: number;
  troubled: number;
  /** How far the evaluation of rules lags behind the log store's time. Ignores rules in trouble. */
  behindMs: number;
  /** Duration of the last evaluation. */
  lookMs: number;
};

const pauseMs = { least: 2_000, most: 7_000 }; // CONTRACT.md, 10: rules fire within twenty seconds, on busy machines too
const pauseShare = 24; // a slow evaluation may use a twenty-fifth of the time
const unavailableIntervalMs = 3_000;
const otherIntervalMs = 2_000;
const illustrationMsMax = 8_000; // from the start of the evaluation: a late message is worse than one without details
const illustrationMsLeast = 3_000; // for when the evaluation has used up that time; a query takes a few hundred milliseconds
const illustratedMax = 60; // per evaluation: further alerts of a flood come without details

/** Runs until the signal aborts. */
export async function evaluateRules(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const watcher = new RuleWatcher(deps, signal);
  while (!signal.aborted) {
    let pause = unavailableIntervalMs;
    try {
      const { isBehind, tookMs } = await watcher.look();
      pause = isBehind ? 0 : Math.min(Math.max(pauseShare * tookMs, pauseMs.least), pauseMs.most);
    } catch (error) {
      if (signal.aborted) return;
      if (!isUnavailable(error)) deps.report(error);
    }
    await wait(pause, undefined, { ref: false, signal }).catch(() => {});
  }
  deps.showProgress(null);
}

class RuleWatcher {
  readonly #deps: WatchDeps;
  readonly #signal: AbortSignal;
  readonly #ids: OrderedIds;
  readonly #rules: RuleStates;
  readonly #windows: WindowRules;
  readonly #fields: MissingFields;
  /** The log store's clock, up to which its entries are complete. */
  #nowMs = 0;
  #settledMs = 0;
  #otherAt = 0;
  readonly #clock = new RuleClock();

  constructor(deps: WatchDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#ids = new OrderedIds(deps.clock);
    this.#rules = new RuleStates(deps.store);
    this.#windows = new WindowRules(deps);
    this.#fields = new MissingFields(deps.logQueries);
  }

  /** Returns whether more entries are waiting, and how long the evaluation took. */
  async look(): Promise<{ isBehind: boolean; tookMs: number }> {
    await this.#rules.load();
    if (this.#rules.all.length === 0) {
      this.#deps.showProgress(this.#describe(0));
      return { isBehind: false, tookMs: 0 };
    }
    const now = this.#deps.clock.now();
    const context = new NotificationContext(this.#deps);
    let startedAt = performance.now();
    let tookMs = 0;
    let isBehind = false;
    for await (const evaluated of this.#evaluate(now)) {
      tookMs += performance.now() - startedAt;
      await this.#keep(evaluated, { now: this.#deps.clock.now(), context });
      this.#deps.showProgress(this.#describe(tookMs));
      isBehind ||= evaluated.some(({ watched, step }) => this.#isBehind(watched, step));
      startedAt = performance.now();
    }
    await this.#rules.store(now);
    return { isBehind, tookMs };
  }

  #isBehind(watched: Watched, step: Step): boolean {
    return (
      isOfEntries(watched.rule) && !this.#windows.isDoubtful(watched) && step.windows.at < this.#settledMs
    );
  }

  #describe(lookMs: number): WatchProgress {
    const all = this.#rules.all;
    const well = all.filter(one => isOfEntries(one.rule) && !this.#windows.isDoubtful(one));
    return {
      rules: all.length,
      firing: all.filter(({ watch }) => watch.firing.length > 0).length,
      troubled: all.filter(({ watch }) => watch.trouble !== null).length,
      behindMs: Math.max(0, ...well.map(({ watch }) => this.#nowMs - watch.windows.at)),
      lookMs,
    };
  }

  async *#evaluate(now: number): AsyncGenerator<Evaluated[]> {
    yield await this.#evaluateOthers(now);
    if (!this.#rules.all.some(({ rule }) => isOfEntries(rule))) return;
    await this.#recordFields(now);
    const requestedAtMs = performance.now();
    const end = await this.#deps.arrivals.findEnd(this.#signal);
    const reading = { micros: end.now.micros, requestedAtMs, receivedAtMs: performance.now() };
    this.#settledMs = Math.floor(end.settled.micros / 1000);
    this.#nowMs = Math.floor(end.now.micros / 1000);
    const ofEntries = this.#rules.all.filter(({ rule }) => isOfEntries(rule));
    const moved = this.#clock.follow(ofEntries, reading, this.#settledMs);
    // A step is told once, and the evaluation may fail.
    for (const watched of moved) this.#rules.remember(watched, watched.watch);
    yield* this.#windows.evaluate(moved, { settledMs: this.#settledMs, signal: this.#signal });
  }

  /** The next evaluation reports the fields. */
  async #recordFields(now: number): Promise<void> {
    const ofEntries = this.#rules.all.filter(({ rule }) => isOfEntries(rule));
    const noted = await this.#fields.look(ofEntries, { now, signal: this.#signal });
    for (const [watched, fields] of noted) this.#rules.remember(watched, { ...watched.watch, ...fields });
  }

  async #evaluateOthers(now: number): Promise<Evaluated[]> {
    if (now - this.#otherAt < otherIntervalMs && now >= this.#otherAt) return [];
    this.#otherAt = now;
    const evaluated: Evaluated[] = [];
    for (const watched of this.#rules.all) {
      const { rule, watch } = watched;
      const evaluate = {
        session_quiet: evaluateSessions,
        storage: evaluateStorage,
        count: null,
        change: null,
        new_pattern: null,
        issue: null,
      }[rule.condition.kind];
      if (evaluate !== null)
        evaluated.push({ watched, step: await evaluate(this.#deps, { rule, watch, now }) });
    }
    return evaluated;
  }

  async #keep(
    evaluated: readonly Evaluated[],
    { now, context }: { now: number; context: NotificationContext },
  ): Promise<void> {
    const deps: AlertingDeps = {
      ids: this.#ids,
      publicUrl: this.#deps.address.publicUrl,
      channels: this.#rules.channels,
      loadAlertContext: (rule, transition) => context.loadAlertContext(rule, transition, this.#settledMs),
    };
    const outcomes = await Promise.all(
      evaluated.map(({ watched, step }) => composeOutcome(watched, step, { ...deps, now })),
    );
    for (const [index, { watched, step }] of evaluated.entries()) {
      const outcome = outcomes[index]!;
      if (outcome === null) this.#rules.remember(watched, { ...watched.watch, windows: step.windows });
      else await this.#rules.write(watched, outcome, now);
    }
  }
}

/** Adds charts and entries to the notifications of one evaluation, as time allows. */
class NotificationContext {
  readonly #deps: WatchDeps;
  readonly #beganAt = performance.now();
  #illustrated = 0;
  #signal: AbortSignal | null = null;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  async loadAlertContext(
    rule: Rule,
    transition: Transition,
    settledMs: number,
  ): ReturnType<typeof loadAlertContext> {
    if (!isOfEntries(rule) || ++this.#illustrated > illustratedMax) return nothingToShow;
    this.#signal ??= this.#beginTime();
    return loadAlertContext(this.#deps, { rule, transition, settledMs, signal: this.#signal });
  }

  /** Starts one time limit for the whole evaluation. */
  #beginTime(): AbortSignal {
    const passedMs = Math.round(performance.now() - this.#beganAt); // timers take integers
    return AbortSignal.timeout(Math.max(illustrationMsMax - passedMs, illustrationMsLeast));
  }
}
