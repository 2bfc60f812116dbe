/**
 * Remembers what subjects of many entries come to, of all that has arrived for good, so that their pages read only what came since. Like a list of
 * subjects, it counts while no entry of the project is gone.
 */
import {
  keyOfQuestion,
  type LogFilter,
  type LogProfile,
  type LogProfileQuestion,
} from '@tapedeck/log-entries';
import { findEnd } from '../arrivals.ts';
import { countBefore, type DirectoryDeps } from './directory.ts';
import { type Fact, factsMax, readFacts, readProfile } from './profiles.ts';

const rememberedEntriesMin = 200; // at worst each lies in a block of its own, which takes 2 ms to read
const freshEntriesMax = 20_000; // more of them join what is remembered
const keptFactsMax = 300_000; // of all subjects: some thirty megabytes
const always = { fromMicros: 0, toMicros: null };

/** Of everything that arrived before the end, and how many entries of the project that were. */
type Known = { endMicros: number; entries: number; facts: readonly Fact[] };

type Asking = LogProfileQuestion & { filter: LogFilter; signal: AbortSignal };

export class KnownProfiles {
  /** The one asked last stands last; null: found to have many entries, and not read for good yet. */
  readonly #known = new Map<string, Known | null>();

  /** null when nothing matches. */
  async find(deps: DirectoryDeps, asking: Asking): Promise<LogProfile | null> {
    const key = keyOfQuestion([asking.filter, asking.paths]);
    const known = this.#known.get(key);
    if (known === undefined) {
      const profile = readProfile(
        await readFacts(deps, asking.filter, { ...asking, arrived: always }),
        asking,
      );
      if (profile !== null && profile.entries >= rememberedEntriesMin) this.#keep(key, null);
      return profile;
    }
    const found = (await this.#extend(deps, asking, known)) ?? (await readAnew(deps, asking));
    this.#keep(key, found.known);
    return readProfile(found.facts, asking);
  }

  /** null where nothing is known any more. */
  async #extend(deps: DirectoryDeps, asking: Asking, known: Known | null): Promise<Found | null> {
    if (known === null) return null;
    const { project } = asking.filter;
    if ((await countBefore({ ...asking, deps, project }, known.endMicros)) !== known.entries) return null;
    const arrived = { fromMicros: known.endMicros, toMicros: null };
    const fresh = await readFacts(deps, asking.filter, { ...asking, arrived });
    if (countEntries(fresh) > freshEntriesMax) return null;
    return { known, facts: addFacts(known.facts, fresh) };
  }

  #keep(key: string, known: Known | null): void {
    this.#known.delete(key);
    if (known !== null && known.facts.length >= factsMax) return; // there may be more
    this.#known.set(key, known);
    let facts = this.#known.values().reduce((sum, one) => sum + countKept(one), 0);
    for (const [oldest, one] of this.#known) {
      if (facts <= keptFactsMax || oldest === key) return;
      this.#known.delete(oldest);
      facts -= countKept(one);
    }
  }
}

type Found = { known: Known; facts: readonly Fact[] };

/** Counts first: entries that are deleted in between make the count differ next time. */
async function readAnew(deps: DirectoryDeps, asking: Asking): Promise<Found> {
  const { filter, signal } = asking;
  const { micros: endMicros } = (await findEnd(deps, signal)).settled;
  const entries = await countBefore({ ...asking, deps, project: filter.project }, endMicros);
  const settled = { fromMicros: 0, toMicros: endMicros };
  const facts = await readFacts(deps, filter, { ...asking, arrived: settled });
  const later = { fromMicros: endMicros, toMicros: null };
  const fresh = await readFacts(deps, filter, { ...asking, arrived: later });
  return { known: { endMicros, entries, facts }, facts: addFacts(facts, fresh) };
}

function countKept(known: Known | null): number {
  return 1 + (known?.facts.length ?? 0);
}

function countEntries(facts: readonly Fact[]): number {
  return facts.reduce((sum, [kind, , entries]) => (kind === 'level' ? sum + entries : sum), 0);
}

/** In the order in which they are read. */
function addFacts(known: readonly Fact[], fresh: readonly Fact[]): readonly Fact[] {
  if (fresh.length === 0) return known;
  const sums = new Map<string, Fact>();
  for (const fact of [...known, ...fresh]) {
    const [kind, value, entries, firstMicros, lastMicros] = fact;
    const key = `${kind} ${value}`;
    const sum = sums.get(key);
    sums.set(
      key,
      sum === undefined
        ? fact
        : [kind, value, sum[2] + entries, Math.min(sum[3], firstMicros), Math.max(sum[4], lastMicros)],
    );
  }
  return [...sums.values()].sort((one, other) => other[4] - one[4] || (one[1] < other[1] ? -1 : 1));
}
