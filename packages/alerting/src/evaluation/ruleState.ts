/** Holds the rules under evaluation and their state. Reloads them after a change, and saves state together with notifications. */
import type { AlertRecords, AlertStore, Channel, Rule, RuleMemory } from '../ports/records.ts';
import { emptyState } from '../windows/states.ts';
import type { Outcome } from './transitions.ts';
import type { Watched } from './watchedRule.ts';

const storeIntervalMs = 10_000;
const storedAtOnceMax = 200; // one transaction takes milliseconds
const storedBucketsMax = 100_000; // per transaction: about two megabytes

export class RuleStates {
  readonly #store: AlertStore;
  #revision = -1;
  /** Watched rules by id. */
  #watched = new Map<string, Watched>();
  channels: readonly Channel[] = [];
  #storedAt = 0;

  constructor(store: AlertStore) {
    this.#store = store;
  }

  get all(): Watched[] {
    return [...this.#watched.values()];
  }

  /** Every change of a rule or a channel has a revision. */
  async load(): Promise<void> {
    const store = this.#store;
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
        const found = stored.get(rule.id) ?? null;
        // A user's acknowledgement also changes the stored state.
        const isOurs = before !== undefined && before.storedAt === (found?.judgedAt ?? null);
        if (isOurs && before.watch.generation === rule.generation) return [rule.id, { ...before, rule }];
        const watch = found?.generation === rule.generation ? found : beginWatch(rule);
        return [rule.id, { rule, watch, storedAt: found?.judgedAt ?? null }];
      }),
    );
    const projects = [...new Set(rules.map(({ project }) => project))];
    this.channels = (await Promise.all(projects.map(project => store.read.channels.list(project)))).flat();
    this.#revision = revision;
  }

  remember(watched: Watched, watch: RuleMemory, storedAt = watched.storedAt): void {
    this.#watched.set(watched.rule.id, { ...watched, watch, storedAt });
  }

  /** Writes everything. If another process evaluated the rule meanwhile, writes nothing and takes over its state. */
  async write(watched: Watched, { watch, changes, deliveries }: Outcome, now: number): Promise<void> {
    const written = await this.#store.write(async records => {
      const stored = await replaceWatch(records, { ...watched, watch }, now);
      if (stored === null) return null;
      await records.watches.record(changes);
      await records.deliveries.insert(deliveries);
      return stored;
    });
    if (written === null) this.#forget();
    else this.remember(watched, written, written.judgedAt);
  }

  /** Saves unimportant changes only occasionally: another process that continues from an older state gets the same result. */
  async store(now: number): Promise<void> {
    if (Math.abs(now - this.#storedAt) < storeIntervalMs) return;
    await this.#storeAll(now);
    this.#storedAt = now;
  }

  /** Starts with the states unsaved for longest. Saves only some of the large ones. */
  async #storeAll(now: number): Promise<void> {
    const all = [...this.#watched.values()].toSorted(
      (one, other) => (one.storedAt ?? 0) - (other.storedAt ?? 0),
    );
    let buckets = 0;
    for (let start = 0; start < all.length && buckets < storedBucketsMax; start += storedAtOnceMax) {
      const chunk: Watched[] = [];
      for (const watched of all.slice(start, start + storedAtOnceMax)) {
        if (buckets >= storedBucketsMax) break;
        buckets += countBuckets(watched);
        chunk.push(watched);
      }
      const written = await this.#store.write(async records => {
        const stored: (RuleMemory | null)[] = [];
        for (const watched of chunk) stored.push(await replaceWatch(records, watched, now));
        return stored;
      });
      for (const [index, watch] of written.entries()) {
        if (watch === null) return this.#forget();
        this.remember(chunk[index]!, watch, watch.judgedAt);
      }
    }
  }

  /** The next evaluation starts from the stored state. */
  #forget(): void {
    this.#watched.clear();
    this.#revision = -1;
  }
}

/** Returns null if the state has changed or its rule is gone. */
async function replaceWatch(
  { rules, watches }: Pick<AlertRecords, 'rules' | 'watches'>,
  { rule, watch, storedAt }: Watched,
  now: number,
): Promise<RuleMemory | null> {
  const present = await rules.find(rule.id);
  if (present?.generation !== rule.generation || !present.enabled) return null;
  const next = { ...watch, judgedAt: Math.max(now, (storedAt ?? 0) + 1) };
  return (await watches.replace(next, storedAt)) ? next : null;
}

function countBuckets({ watch: { windows } }: Watched): number {
  return Object.values(windows.values).reduce((sum, { buckets }) => sum + buckets.length, 0);
}

/** The state of a rule before its first evaluation. */
export function beginWatch({ id, generation }: Rule): RuleMemory {
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
