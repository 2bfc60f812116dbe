/**
 * Keeps sums by subject up to date for the kinds that projects have confirmed, and reads them. Sums cover everything that
 * arrived up to some moment, and are valid only while exactly those entries exist. A page adds newer entries to them.
 * Without valid sums, pages read all entries.
 */
import { LogStoreFailure } from '../../../failures.ts';
import type { Statement } from '../../../writer/engine/statements.ts';
import { findEnd } from '../../arrivals.ts';
import type { SummedKind } from '../../logQueries.ts';
import { runQuery } from '../../queryRunner.ts';
import type { Fact } from '../profiles.ts';
import { countBefore, type NamedRow, type SubjectDeps } from '../settledEntries.ts';
import {
  describePartial,
  describeReady,
  isUseful,
  type KnownSums,
  type PartialSums,
  type ReadySums,
} from './knownSums.ts';
import {
  countSummed,
  type DayEntries,
  joinDays,
  listPieces,
  type SumLedger,
  SumLedgerFiles,
} from './ledger.ts';
import { SumBuilder } from './sumBuilder.ts';
import {
  formatListing,
  formatMinutes,
  formatReading,
  type MarkedEntries,
  readSums,
} from './sumStatements.ts';
import { nameKind, numberKind } from './sumTable.ts';

type MinuteRow = [minute: number, entries: number];

const freshEntriesMin = 50_000; // with fewer, a page reads the subject's entries in about ten milliseconds
const passingCodes: readonly string[] = ['overloaded', 'query_timeout'];
const restMs = 86_400_000;

export class SubjectSums {
  readonly #deps: SubjectDeps;
  readonly #files: SumLedgerFiles;
  readonly #builder: SumBuilder;
  readonly #known = new Map<string, KnownSums>();

  /** The store must have a single shard, and only this process may insert into it. */
  constructor(
    deps: SubjectDeps,
    directory: string,
    { buildEntriesMax = 1_000_000 } = {}, // about 150 megabytes in the engine
  ) {
    this.#deps = deps;
    this.#files = new SumLedgerFiles(directory);
    this.#builder = new SumBuilder(deps, buildEntriesMax);
    this.#builder.follow(() => this.#known.clear());
  }

  /** Finds the sums of this kind; null if they are incomplete. */
  find(kind: SummedKind): ReadySums | null {
    return this.#known.get(nameKind(kind))?.ready ?? null;
  }

  /** Like `find`, but also returns the finished days while sums are being made. */
  findPartial(kind: SummedKind): PartialSums | null {
    const known = this.#known.get(nameKind(kind));
    return known?.ready ?? known?.partial ?? null;
  }

  /** Lists the kinds of a project whose sums are complete. */
  listReady(project: string): { kind: SummedKind; ready: ReadySums }[] {
    return [...this.#known.values()].flatMap(({ kind, ready }) =>
      kind.project === project && ready !== null ? [{ kind, ready }] : [],
    );
  }

  /** Whether the sums are complete, or may be after one of the next rounds. */
  isWorkedOn(kind: SummedKind): boolean {
    const known = this.#known.get(nameKind(kind));
    return known === undefined || performance.now() >= known.restsUntilMs;
  }

  /** Invalidates the sums until the next round, because entries are gone. */
  doubt(kind: SummedKind): void {
    const known = this.#known.get(nameKind(kind));
    if (known !== undefined) known.ready = known.partial = null;
  }

  /** Whether exactly the summed entries arrived before the sums' end. If not, invalidates the sums until the next round. */
  async verify(
    ready: ReadySums,
    { kind, signal }: { kind: SummedKind; signal: AbortSignal },
  ): Promise<boolean> {
    const deps = { ...this.#deps, runner: { ...this.#deps.runner, holder: kind.project } };
    const counting = { deps, project: kind.project, signal };
    const isWhole = (await countBefore(counting, ready.endMicros)) === ready.entries;
    if (!isWhole) this.doubt(kind);
    return isWhole;
  }

  /** Reads the sums of one subject; null if the sums have changed meanwhile. */
  async read(
    ready: PartialSums,
    { kind, id, signal }: { kind: SummedKind; id: string; signal: AbortSignal },
  ): Promise<Fact[] | null> {
    const rows = await this.#ask(ready, { kind, signal }, formatReading(id, ready));
    return rows && readSums(rows as unknown as Fact[]); // matches the SELECT
  }

  /** Lists ids and names of all subjects; null like `read`. */
  async list(
    ready: ReadySums,
    { kind, rowsMax, signal }: { kind: SummedKind; rowsMax: number; signal: AbortSignal },
  ): Promise<NamedRow[] | null> {
    const rows = await this.#ask(ready, { kind, signal }, formatListing(kind, { ...ready, rowsMax }));
    return rows as unknown as NamedRow[] | null; // matches the SELECT
  }

  /** Reads rows as `formatMinutes` describes them; null like `read`. */
  async readMinutes(
    ready: ReadySums,
    marked: MarkedEntries & { kind: SummedKind; entriesMax: number; signal: AbortSignal },
  ): Promise<readonly MinuteRow[] | null> {
    const rows = await this.#ask(ready, marked, formatMinutes(marked, { ...ready, ...marked }));
    return rows as unknown as readonly MinuteRow[] | null; // matches the SELECT
  }

  async #ask(
    ready: PartialSums,
    { kind, signal }: { kind: SummedKind; signal: AbortSignal },
    statement: Statement,
  ): Promise<Awaited<ReturnType<typeof runQuery>> | null> {
    const runner = { ...this.#deps.runner, holder: kind.project };
    const known = this.#known.get(nameKind(kind));
    try {
      const rows = await runQuery(runner, { weight: 'search', signal }, statement);
      const isStanding = known !== undefined && known === this.#known.get(known.name);
      return isStanding && known.removals === ready.removals ? rows : null;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LogStoreFailure) || passingCodes.includes(error.code)) throw error;
      if (known !== undefined) known.isBroken = true;
      return null;
    }
  }

  /** Runs one round: updates the sums of these kinds, and removes all others. Resolves to the kinds that had no valid sums before. */
  async keep(kinds: readonly SummedKind[], signal: AbortSignal): Promise<SummedKind[]> {
    const names = kinds.map(nameKind);
    for (const name of this.#known.keys()) if (!names.includes(name)) this.#known.delete(name);
    await this.#builder.prepare(new Set(names.map(numberKind)), signal);
    await this.#files.keepOnly(names);
    const added: SummedKind[] = [];
    for (const kind of kinds) {
      signal.throwIfAborted();
      const known = await this.#open(kind, signal);
      const isRepaired = await this.#update(known, signal);
      if (isRepaired && known.ready !== null) added.push(kind);
    }
    return added;
  }

  /** Opens the sums of a kind. After a start, only complete pieces count. */
  async #open(kind: SummedKind, signal: AbortSignal): Promise<KnownSums> {
    const name = nameKind(kind);
    const before = this.#known.get(name);
    if (before !== undefined) return before;
    const list = numberKind(name);
    const written = await this.#files.read(name);
    const rows = await this.#builder.countRows(list, signal);
    const days = [...(written?.days ?? [])].filter(([, { pieces }]) =>
      pieces.every(piece => rows.get(piece.number) === piece.rows),
    );
    const ledger = { endMicros: written?.endMicros ?? 0, days: new Map(days) };
    const known: KnownSums = {
      kind,
      name,
      list,
      ledger,
      ready: null,
      partial: null,
      hasRemains: rows.size > 0,
      removals: 0,
      isBroken: false,
      restsUntilMs: 0,
    };
    this.#known.set(name, known);
    return known;
  }

  /** Updates the sums of a kind. Returns whether they were not valid before. */
  async #update(known: KnownSums, signal: AbortSignal): Promise<boolean> {
    if (performance.now() < known.restsUntilMs) return false;
    if (known.isBroken) await this.#forget(known, signal);
    if (known.hasRemains) await this.#removeRemains(known, signal);
    const { settled } = await findEnd(this.#deps, signal);
    if (known.ledger.endMicros === 0) known.ledger = { ...known.ledger, endMicros: settled.micros };
    const { ready } = known;
    const isWhole =
      ready !== null && (await this.#countBefore(known, ready.endMicros, signal)) === ready.entries;
    if (!isWhole) await this.#repair(known, signal);
    if (known.ready === null) return false;
    await this.#extend(known, settled.micros, signal);
    await this.#joinPieces(known, signal);
    return !isWhole;
  }

  /** Rebuilds the sums of days whose entries have changed, and drops days without entries. */
  async #repair(known: KnownSums, signal: AbortSignal): Promise<void> {
    known.ready = known.partial = null;
    const arrived = { fromMicros: 0, toMicros: known.ledger.endMicros };
    const found = await this.#builder.survey(known.kind, arrived, signal);
    const isSame = (day: number, { entries, hash }: DayEntries) =>
      found.get(day)?.entries === entries && found.get(day)?.hash === hash;
    const kept = new Map([...known.ledger.days].filter(([day, summed]) => isSame(day, summed)));
    if (kept.size < known.ledger.days.size) known.hasRemains = true;
    await this.#save(known, { ...known.ledger, days: kept });
    const days = new Map([...found].filter(([day]) => !kept.has(day)));
    known.partial = describePartial(known, days);
    for await (const built of this.#builder.build(known, { days, arrived }, signal)) {
      await this.#save(known, { ...known.ledger, days: new Map([...known.ledger.days, ...built]) });
      if (!isUseful(known.ledger)) return await this.#rest(known, signal);
      for (const day of built.keys()) days.delete(day);
      known.partial = describePartial(known, days);
    }
    known.ready = describeReady(known);
    known.partial = null;
  }

  async #rest(known: KnownSums, signal: AbortSignal): Promise<void> {
    await this.#forget(known, signal);
    known.restsUntilMs = performance.now() + restMs;
  }

  /** Adds the settled entries that arrived since the sums' end. Queries see all of them at once, or none. */
  async #extend(known: KnownSums, endMicros: number, signal: AbortSignal): Promise<void> {
    const arrived = { fromMicros: known.ledger.endMicros, toMicros: endMicros };
    if (endMicros <= arrived.fromMicros) return;
    const entries = await this.#countBefore(known, endMicros, signal);
    if (entries - countSummed(known.ledger) < freshEntriesMin) return;
    const found = await this.#builder.survey(known.kind, arrived, signal);
    const days = new Map(known.ledger.days);
    const { hasRemains } = known;
    known.hasRemains = true; // in case it is interrupted
    for await (const built of this.#builder.build(known, { days: found, arrived }, signal))
      for (const [day, summed] of built) days.set(day, joinDays(days.get(day), summed));
    await this.#save(known, { endMicros, days });
    known.hasRemains = hasRemains;
    if (isUseful(known.ledger)) known.ready = describeReady(known);
    else await this.#rest(known, signal);
  }

  async #joinPieces(known: KnownSums, signal: AbortSignal): Promise<void> {
    for (const [day, summed] of known.ledger.days) {
      const joined = await this.#builder.join(known, [day, summed], signal);
      if (joined === null) continue;
      known.hasRemains = true;
      await this.#save(known, { ...known.ledger, days: new Map([...known.ledger.days, [day, joined]]) });
      if (known.ready !== null) known.ready = describeReady(known);
    }
  }

  /** Writes the file first: days missing from it are only built again. */
  async #save(known: KnownSums, ledger: SumLedger): Promise<void> {
    await this.#files.write(known.name, ledger);
    known.ledger = ledger;
  }

  /** Removes replaced pieces. A round later, pages use other pieces; a page that still reads old ones notices. */
  async #removeRemains(known: KnownSums, signal: AbortSignal): Promise<void> {
    known.removals++;
    if (known.ready !== null) known.ready = describeReady(known);
    await this.#builder.removeOthers(known.list, listPieces(known.ledger), signal);
    known.hasRemains = false;
  }

  async #forget(known: KnownSums, signal: AbortSignal): Promise<void> {
    known.ready = known.partial = null;
    await this.#save(known, { endMicros: 0, days: new Map() });
    await this.#builder.drop(known.list, signal);
    known.isBroken = false;
  }

  #countBefore({ kind }: KnownSums, endMicros: number, signal: AbortSignal): Promise<number> {
    return countBefore({ deps: this.#deps, project: kind.project, signal }, endMicros);
  }
}
