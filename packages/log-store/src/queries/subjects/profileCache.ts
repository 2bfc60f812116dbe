/**
 * Finds the profile of a subject: from sums if they are complete, otherwise from its entries. For subjects with many
 * entries, it caches the result up to a point in time, so that their pages read only newer arrivals. Like a list of
 * subjects, the cached result is valid as long as no entry of the project is gone.
 */
import {
  type LogFilter,
  type LogProfile,
  type LogProfileQuestion,
  listShownPaths,
  type SubjectPaths,
} from '@tapedeck/log-entries';
import { anyOf, type Condition, keyOfQuestion } from '@tapedeck/log-query-language';
import { findEnd } from '../arrivals.ts';
import { type Fact, factsMax, readFacts, readProfile } from './profiles.ts';
import { countAround, countBefore, type SubjectDeps } from './settledEntries.ts';
import type { SubjectSums } from './sums/subjectSums.ts';

const rememberedEntriesMin = 200; // at worst each is in a different block, which takes 2 ms to read
const freshEntriesMax = 20_000; // with more, they join the cached result
const keptFactsMax = 300_000; // for all subjects: about thirty megabytes
const always = { fromMicros: 0, toMicros: null };

/** Covers everything that arrived before the end, with the number of entries in the project. */
type Known = { endMicros: number; entries: number; facts: readonly Fact[] };

type ProfileRequest = Omit<LogProfileQuestion, 'paths'> & {
  /** Paths whose texts the profile lists. */
  paths: readonly string[];
  filter: LogFilter;
  signal: AbortSignal;
};

type ProfileQuestion = LogProfileQuestion & { project: string; signal: AbortSignal };

export class KnownProfiles {
  /** The most recently used last; null: the subject has many entries, but is not cached yet. */
  readonly #known = new Map<string, Known | null>();
  readonly #sums: SubjectSums | null;

  constructor(sums: SubjectSums | null) {
    this.#sums = sums;
  }

  /** Finds a profile; null if no entry matches. */
  async find(deps: SubjectDeps, question: ProfileQuestion): Promise<LogProfile | null> {
    const { project, paths, id } = question;
    const condition = matchSubject(paths, id);
    const filter = { project, datasets: null, fromMicros: null, toMicros: null, condition };
    const request = { ...question, filter, paths: listShownPaths(paths) };
    const facts = (await this.#addSums(deps, question, request)) ?? (await this.#findFacts(deps, request));
    return readProfile(facts, request);
  }

  /** Adds sums and newer entries; null if sums cannot be used. The count shows whether entries behind the sums are gone. */
  async #addSums(
    deps: SubjectDeps,
    question: ProfileQuestion,
    request: ProfileRequest,
  ): Promise<readonly Fact[] | null> {
    const { project, signal } = question;
    const sums = this.#sums?.findPartial(question);
    if (!this.#sums || !sums) return null;
    const { endMicros, missingDays } = sums;
    const [{ before, since }, summed, missing] = await Promise.all([
      countAround({ deps, project, signal }, endMicros),
      this.#sums.read(sums, { kind: question, ...question }),
      missingDays.length === 0
        ? []
        : readFacts(deps, request.filter, {
            ...request,
            arrived: { fromMicros: 0, toMicros: endMicros, days: missingDays },
          }),
    ]);
    if (before === sums.entries && summed !== null) {
      const arrived = { fromMicros: endMicros, toMicros: null };
      const fresh = since === 0 ? [] : await readFacts(deps, request.filter, { ...request, arrived });
      return addFacts(addFacts(summed, missing), fresh);
    }
    this.#sums.doubt(question);
    return null;
  }

  async #findFacts(deps: SubjectDeps, request: ProfileRequest): Promise<readonly Fact[]> {
    const key = keyOfQuestion([request.filter, request.paths]);
    const known = this.#known.get(key);
    if (known === undefined) {
      const facts = await readFacts(deps, request.filter, { ...request, arrived: always });
      if (countEntries(facts) >= rememberedEntriesMin) this.#keep(key, null);
      return facts;
    }
    const found = (await this.#extend(deps, request, known)) ?? (await readAnew(deps, request));
    this.#keep(key, found.known);
    return found.facts;
  }

  /** Returns null if the entries must be read again. */
  async #extend(deps: SubjectDeps, request: ProfileRequest, known: Known | null): Promise<Found | null> {
    if (known === null) return null;
    const { project } = request.filter;
    if ((await countBefore({ ...request, deps, project }, known.endMicros)) !== known.entries) return null;
    const arrived = { fromMicros: known.endMicros, toMicros: null };
    const fresh = await readFacts(deps, request.filter, { ...request, arrived });
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

/** Counts first, so that entries deleted in between make the count differ next time. */
async function readAnew(deps: SubjectDeps, request: ProfileRequest): Promise<Found> {
  const { filter, signal } = request;
  const { micros: endMicros } = (await findEnd(deps, signal)).settled;
  const entries = await countBefore({ ...request, deps, project: filter.project }, endMicros);
  const settled = { fromMicros: 0, toMicros: endMicros };
  const facts = await readFacts(deps, filter, { ...request, arrived: settled });
  const later = { fromMicros: endMicros, toMicros: null };
  const fresh = await readFacts(deps, filter, { ...request, arrived: later });
  return { known: { endMicros, entries, facts }, facts: addFacts(facts, fresh) };
}

function countKept(known: Known | null): number {
  return 1 + (known?.facts.length ?? 0);
}

function countEntries(facts: readonly Fact[]): number {
  return facts.reduce((sum, [kind, , entries]) => (kind === 'level' ? sum + entries : sum), 0);
}

/** Adds facts in reading order. */
function addFacts(known: readonly Fact[], fresh: readonly Fact[]): readonly Fact[] {
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

/** Matches the id at any of the paths. */
function matchSubject({ idPaths }: SubjectPaths, id: string): Condition {
  return anyOf(
    idPaths.map(path => ({
      kind: 'field',
      field: { kind: 'metadata', path },
      values: [{ kind: 'equals', text: id }],
    })),
  );
}
