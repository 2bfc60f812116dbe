/**
 * Looks each second at what has arrived and says which rules fire. What it finds is written with what it tells in one transaction; what
 * changes nothing is remembered here and written now and then, for looking at the same once more finds the same.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { emptyState } from '@tapedeck/alert-rules';
import type { Clock } from '../../ports/clock.ts';
import type { FileRecords } from '../../ports/files.ts';
import type { LogArrivals, LogQueries } from '../../ports/logQueries.ts';
import type { MetadataStore, Records } from '../../ports/metadata.ts';
import type { SdkSessions } from '../../ports/sdkSessions.ts';
import type { Channel, Rule, RuleWatch } from '../../ports/telling.ts';
import { OrderedIds } from '../outbox.ts';
import { type Outcome, type Step, type TellingDeps, tell, type Watched } from './changes.ts';
import { illustrate, nothingToShow } from './illustration.ts';
import { judgeSessions, judgeStorage } from './otherRules.ts';
import { isAway, type Judged, judgeWindows } from './windowRules.ts';

export type WatchDeps = {
  store: MetadataStore;
  arrivals: LogArrivals;
  logQueries: LogQueries;
  sdkSessions: SdkSessions;
  files: Pick<FileRecords, 'usage'>;
  clock: Clock;
  address: { publicUrl: string };
  report(error: unknown): void;
};

const lookIntervalMs = 1_000;
const awayIntervalMs = 3_000;
const otherIntervalMs = 2_000;
const troubleIntervalMs = 60_000;
const storeIntervalMs = 10_000;
const storedAtOnceMax = 200; // a transaction of milliseconds
const illustrationMsMax = 9_000; // rather no picture than a late word
const illustratedMax = 20; // of a look: a flood is told without pictures

/** Until the signal aborts. */
export async function watchRules(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const watcher = new RuleWatcher(deps, signal);
  while (!signal.aborted) {
    let pauseMs = lookIntervalMs;
    try {
      if (await watcher.look()) pauseMs = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isAway(error)) deps.report(error);
      pauseMs = awayIntervalMs;
    }
    await wait(pauseMs, undefined, { ref: false, signal }).catch(() => {});
  }
}

class RuleWatcher {
  readonly #deps: WatchDeps;
  readonly #signal: AbortSignal;
  readonly #ids: OrderedIds;
  #revision = -1;
  /** By their rules. */
  #watched = new Map<string, Watched>();
  #channels: readonly Channel[] = [];
  #storedAt = 0;
  /** Up to which the log store's entries are complete. */
  #settledMs = 0;
  #otherAt = 0;
  readonly #troubledAt = new Map<string, number>();

  constructor(deps: WatchDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#ids = new OrderedIds(deps.clock);
  }

  /** Whether there is more to look at already. */
  async look(): Promise<boolean> {
    await this.#load();
    if (this.#watched.size === 0) return false;
    const now = this.#deps.clock.now();
    const judged = [...(await this.#judgeOthers(now)), ...(await this.#judgeWindows(now))];
    await this.#keep(judged, now);
    return judged.some(
      ({ watched: { rule }, step }) =>
        isOfEntries(rule) && step.trouble === null && step.windows.at < this.#settledMs,
    );
  }

  /** Every change of a rule or a channel has a revision. */
  async #load(): Promise<void> {
    const { store } = this.#deps;
    const { revision } = await store.readAccessChanges(Math.max(0, this.#revision));
    if (revision === this.#revision) return;
    const [rules, watches] = await Promise.all([
      store.read.rules.listEnabled(),
      store.read.watches.list(null),
    ]);
    const stored = new Map(watches.map(watch => [watch.rule, watch]));
    const known = this.#watched;
    this.#watched = new Map(
      rules.map(rule => {
        const before = known.get(rule.id);
        if (before?.watch.generation === rule.generation) return [rule.id, { ...before, rule }];
        const found = stored.get(rule.id) ?? null;
        const watch = found?.generation === rule.generation ? found : beginWatch(rule);
        return [rule.id, { rule, watch, storedAt: found?.judgedAt ?? null }];
      }),
    );
    const projects = [...new Set(rules.map(({ project }) => project))];
    this.#channels = (await Promise.all(projects.map(project => store.read.channels.list(project)))).flat();
    this.#revision = revision;
  }

  async #judgeWindows(now: number): Promise<Judged[]> {
    const due = [...this.#watched.values()].filter(
      ({ rule }) => isOfEntries(rule) && now - (this.#troubledAt.get(rule.id) ?? 0) >= troubleIntervalMs,
    );
    if (due.length === 0) return [];
    const { settled } = await this.#deps.arrivals.findEnd(this.#signal);
    this.#settledMs = Math.floor(settled.micros / 1000);
    return judgeWindows(this.#deps.arrivals, due, { settledMs: this.#settledMs, signal: this.#signal });
  }

  async #judgeOthers(now: number): Promise<Judged[]> {
    if (now - this.#otherAt < otherIntervalMs && now >= this.#otherAt) return [];
    this.#otherAt = now;
    const judged: Judged[] = [];
    for (const watched of this.#watched.values()) {
      const { rule, watch } = watched;
      const judge = {
        session_quiet: judgeSessions,
        storage: judgeStorage,
        count: null,
        change: null,
        new_pattern: null,
      }[rule.condition.kind];
      if (judge !== null) judged.push({ watched, step: await judge(this.#deps, { rule, watch, now }) });
    }
    return judged;
  }

  async #keep(judged: readonly Judged[], now: number): Promise<void> {
    let illustrated = 0;
    const signal = AbortSignal.timeout(illustrationMsMax);
    const deps: TellingDeps = {
      ids: this.#ids,
      publicUrl: this.#deps.address.publicUrl,
      channels: this.#channels,
      illustrate: async (rule, transition) =>
        isOfEntries(rule) && ++illustrated <= illustratedMax
          ? illustrate(this.#deps, { rule, transition, signal })
          : nothingToShow,
    };
    const outcomes = await Promise.all(
      judged.map(({ watched, step }) => tell(watched, step, { ...deps, now })),
    );
    for (const [index, { watched, step }] of judged.entries()) {
      const outcome = outcomes[index]!;
      this.#noteTrouble(watched.rule, step, now);
      if (outcome === null) this.#remember(watched, { ...watched.watch, windows: step.windows });
      else await this.#write(watched, outcome, now);
    }
    if (Math.abs(now - this.#storedAt) >= storeIntervalMs) {
      await this.#storeAll(now);
      this.#storedAt = now;
    }
  }

  #noteTrouble({ id }: Rule, { trouble }: Step, now: number): void {
    if (trouble === null) this.#troubledAt.delete(id);
    else this.#troubledAt.set(id, now);
  }

  #remember(watched: Watched, watch: RuleWatch, storedAt = watched.storedAt): void {
    this.#watched.set(watched.rule.id, { ...watched, watch, storedAt });
  }

  /** All of it or, where somebody else judged the rule meanwhile, nothing: then what they found is gone on from. */
  async #write(watched: Watched, { watch, changes, deliveries }: Outcome, now: number): Promise<void> {
    const written = await this.#deps.store.write(async records => {
      const stored = await replaceWatch(records, { ...watched, watch }, now);
      if (stored === null) return null;
      await records.watches.record(changes);
      await records.deliveries.insert(deliveries);
      return stored;
    });
    if (written === null) this.#forget();
    else this.#remember(watched, written, written.judgedAt);
  }

  async #storeAll(now: number): Promise<void> {
    const all = [...this.#watched.values()];
    for (let start = 0; start < all.length; start += storedAtOnceMax) {
      const chunk = all.slice(start, start + storedAtOnceMax);
      const written = await this.#deps.store.write(async records => {
        const stored: (RuleWatch | null)[] = [];
        for (const watched of chunk) stored.push(await replaceWatch(records, watched, now));
        return stored;
      });
      for (const [index, watch] of written.entries()) {
        if (watch === null) return this.#forget();
        this.#remember(chunk[index]!, watch, watch.judgedAt);
      }
    }
  }

  /** The next look begins with what is stored. */
  #forget(): void {
    this.#watched.clear();
    this.#revision = -1;
  }
}

/** null: it is not what it was, or its rule has gone. */
async function replaceWatch(
  { rules, watches }: Pick<Records, 'rules' | 'watches'>,
  { rule, watch, storedAt }: Watched,
  now: number,
): Promise<RuleWatch | null> {
  const present = await rules.find(rule.id);
  if (present?.generation !== rule.generation || !present.enabled) return null;
  const next = { ...watch, judgedAt: Math.max(now, (storedAt ?? 0) + 1) };
  return (await watches.replace(next, storedAt)) ? next : null;
}

function isOfEntries({ condition: { kind } }: Rule): boolean {
  return kind === 'count' || kind === 'change' || kind === 'new_pattern';
}

function beginWatch({ id, generation }: Rule): RuleWatch {
  const windows = emptyState(generation);
  return {
    rule: id,
    generation,
    judgedAt: generation,
    windows,
    firing: [],
    lastFiredAt: null,
    trouble: null,
  };
}
