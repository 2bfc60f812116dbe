/**
 * Keeps sums by subject up to date for the kinds that projects have confirmed, and answers from them. Sums cover
 * everything that arrived up to some moment, and they are used only while exactly those entries are there. A page then
 * adds what came since. What sums cannot answer is read from the entries.
 */
import { LogStoreFailure } from '../../../failures.ts';
import type { Statement } from '../../../writer/engine/statements.ts';
import { findEnd } from '../../arrivals.ts';
import type { SummedKind } from '../../logQueries.ts';
import { askRows } from '../../queryRunner.ts';
import { countBefore, type NamedRow, type SubjectDeps } from '../arrived.ts';
import type { Fact } from '../profiles.ts';
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

const freshEntriesMin = 50_000; // of fewer, a page reads the subject's own in some ten milliseconds
const passingCodes: readonly string[] = ['overloaded', 'query_timeout'];
const restMs = 86_400_000;

export class SubjectSums {
  readonly #deps: SubjectDeps;
  readonly #files: SumLedgerFiles;
  readonly #builder: SumBuilder;
  readonly #known = new Map<string, KnownSums>();

  /** For a store whose only engine is `shards[0]`, into which this process alone inserts. */
  constructor(
    deps: SubjectDeps,
    directory: string,
    { buildEntriesMax = 1_000_000 } = {}, // some hundred and fifty megabytes in the engine
  ) {
    this.#deps = deps;
    this.#files = new SumLedgerFiles(directory);
    this.#builder = new SumBuilder(deps, buildEntriesMax);
    this.#builder.follow(() => this.#known.clear());
  }

  /** null where the sums of this kind are not complete. */
  find(kind: SummedKind): ReadySums | null {
    return this.#known.get(nameKind(kind))?.ready ?? null;
  }

  /** The same; while they are made, those of the days that are done. */
  findPartial(kind: SummedKind): PartialSums | null {
    const known = this.#known.get(nameKind(kind));
    return known?.ready ?? known?.partial ?? null;
  }

  /** Kinds of a project whose sums are complete. */
  listReady(project: string): { kind: SummedKind; ready: ReadySums }[] {
    return [...this.#known.values()].flatMap(({ kind, ready }) =>
      kind.project === project && ready !== null ? [{ kind, ready }] : [],
    );
  }

  /** Whether they are complete, or may be after one of the next rounds. */
  isWorkedOn(kind: SummedKind): boolean {
    const known = this.#known.get(nameKind(kind));
    return known === undefined || performance.now() >= known.restsUntilMs;
  }

  /** Entries are gone since: nothing counts before the next round. */
  doubt(kind: SummedKind): void {
    const known = this.#known.get(nameKind(kind));
    if (known !== undefined) known.ready = known.partial = null;
  }

  /** The sums of one subject; null if the sums have changed meanwhile. */
  async read(
    ready: PartialSums,
    { kind, id, signal }: { kind: SummedKind; id: string; signal: AbortSignal },
  ): Promise<Fact[] | null> {
    const rows = await this.#ask(ready, { kind, signal }, formatReading(id, ready));
    return rows && readSums(rows as unknown as Fact[]); // as selected
  }

  /** Ids and names of all; null as above. */
  async list(
    ready: ReadySums,
    { kind, rowsMax, signal }: { kind: SummedKind; rowsMax: number; signal: AbortSignal },
  ): Promise<NamedRow[] | null> {
    const rows = await this.#ask(ready, { kind, signal }, formatListing(kind, { ...ready, rowsMax }));
    return rows as unknown as NamedRow[] | null; // as selected
  }

  /** Rows as `formatMinutes` says; null as above. */
  async readMinutes(
    ready: ReadySums,
    marked: MarkedEntries & { kind: SummedKind; entriesMax: number; signal: AbortSignal },
  ): Promise<readonly MinuteRow[] | null> {
    const rows = await this.#ask(ready, marked, formatMinutes(marked, { ...ready, ...marked }));
    return rows as unknown as readonly MinuteRow[] | null; // as selected
  }

  async #ask(
    ready: PartialSums,
    { kind, signal }: { kind: SummedKind; signal: AbortSignal },
    statement: Statement,
  ): Promise<Awaited<ReturnType<typeof askRows>> | null> {
    const runner = { ...this.#deps.runner, holder: kind.project };
    const known = this.#known.get(nameKind(kind));
    try {
      const rows = await askRows(runner, { weight: 'search', signal }, statement);
      const isStanding = known !== undefined && known === this.#known.get(known.name);
      return isStanding && known.removals === ready.removals ? rows : null;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LogStoreFailure) || passingCodes.includes(error.code)) throw error;
      if (known !== undefined) known.isBroken = true;
      return null;
    }
  }

  /** One round: brings the sums of these kinds up to date, and removes those of all others. Resolves to the kinds that had none before. */
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

  /** After a start, pieces count that are whole. */
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
      ...{ kind, name, list, ledger, ready: null, partial: null },
      ...{ hasRemains: rows.size > 0, removals: 0, isBroken: false, restsUntilMs: 0 },
    };
    this.#known.set(name, known);
    return known;
  }

  /** Whether sums did not count before. */
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

  /** Makes the sums of days again whose entries are not those that they were made of, and drops days that are gone. */
  async #repair(known: KnownSums, signal: AbortSignal): Promise<void> {
    known.ready = known.partial = null;
    const arrived = { fromMicros: 0, toMicros: known.ledger.endMicros };
    const found = await this.#builder.survey(known.kind, arrived, signal);
    const isSame = (day: number, { entries, hash }: DayEntries) =>
      found.get(day)?.entries === entries && found.get(day)?.hash === hash;
    const kept = new Map([...known.ledger.days].filter(([day, summed]) => isSame(day, summed)));
    if (kept.size < known.ledger.days.size) known.hasRemains = true;
    await this.#settle(known, { ...known.ledger, days: kept });
    const days = new Map([...found].filter(([day]) => !kept.has(day)));
    known.partial = describePartial(known, days);
    for await (const built of this.#builder.build(known, { days, arrived }, signal)) {
      await this.#settle(known, { ...known.ledger, days: new Map([...known.ledger.days, ...built]) });
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

  /** Entries that arrived since the end and stay. All of them count at once. */
  async #extend(known: KnownSums, endMicros: number, signal: AbortSignal): Promise<void> {
    const arrived = { fromMicros: known.ledger.endMicros, toMicros: endMicros };
    if (endMicros <= arrived.fromMicros) return;
    const entries = await this.#countBefore(known, endMicros, signal);
    if (entries - countSummed(known.ledger) < freshEntriesMin) return;
    const found = await this.#builder.survey(known.kind, arrived, signal);
    const days = new Map(known.ledger.days);
    const { hasRemains } = known;
    known.hasRemains = true; // should it break off
    for await (const built of this.#builder.build(known, { days: found, arrived }, signal))
      for (const [day, summed] of built) days.set(day, joinDays(days.get(day), summed));
    await this.#settle(known, { endMicros, days });
    known.hasRemains = hasRemains;
    if (isUseful(known.ledger)) known.ready = describeReady(known);
    else await this.#rest(known, signal);
  }

  async #joinPieces(known: KnownSums, signal: AbortSignal): Promise<void> {
    for (const [day, summed] of known.ledger.days) {
      const joined = await this.#builder.join(known, [day, summed], signal);
      if (joined === null) continue;
      known.hasRemains = true;
      await this.#settle(known, { ...known.ledger, days: new Map([...known.ledger.days, [day, joined]]) });
      if (known.ready !== null) known.ready = describeReady(known);
    }
  }

  /** The file comes first: what it lacks is made again, and nothing else is lost. */
  async #settle(known: KnownSums, ledger: SumLedger): Promise<void> {
    await this.#files.write(known.name, ledger);
    known.ledger = ledger;
  }

  /** A round later, pages are answered from other pieces; one that still takes the old ones finds out. */
  async #removeRemains(known: KnownSums, signal: AbortSignal): Promise<void> {
    known.removals++;
    if (known.ready !== null) known.ready = describeReady(known);
    await this.#builder.removeOthers(known.list, listPieces(known.ledger), signal);
    known.hasRemains = false;
  }

  async #forget(known: KnownSums, signal: AbortSignal): Promise<void> {
    known.ready = known.partial = null;
    await this.#settle(known, { endMicros: 0, days: new Map() });
    await this.#builder.drop(known.list, signal);
    known.isBroken = false;
  }

  #countBefore({ kind }: KnownSums, endMicros: number, signal: AbortSignal): Promise<number> {
    return countBefore({ deps: this.#deps, project: kind.project, signal }, endMicros);
  }
}
