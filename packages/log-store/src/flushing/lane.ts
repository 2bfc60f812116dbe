/**
 * Inserts the segments of one shard, one after another. The insert of a segment is repeated until the shard has answered
 * that it succeeded. A lane knows nothing of other shards, nor of the journal that the segments come from.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint } from '../engine/engine.ts';
import type { Agents } from '../engine/requests.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import type { Journal, Segment } from '../journal/journal.ts';
import type { Logger } from '../logger.ts';
import { divideSegment, strikeOutDue } from './deletedRows.ts';
import type { DueDeletion, JournalDeletions } from './dueDeletions.ts';
import { InsertError, insertBlocks, insertMissing } from './insert.ts';
import { readBlocks, splitSegment } from './segmentBlocks.ts';
import type { Spreading } from './spreading.ts';

/** A place where a part of the entries is stored. */
export type Shard = { url: string; access: EngineAccess };

export type LaneDeps = {
  log: Logger;
  /** The reserve on the shard's disk; null when the shard stores on another machine. */
  room: Pick<Journal, 'giveReserve'> | null;
  spreading: Spreading;
  agents: Agents;
  /** What other nodes deleted; null where there are none. */
  deletions: JournalDeletions | null;
  /** Rejects when the server has lost what it held: what was inserted into it is not stored then. */
  confirm(access: EngineAccess): Promise<void>;
  /** Aborts when the service stops: then the lane begins no insert any more. */
  stopping: AbortSignal;
};

type LaneOptions = {
  shard: Shard;
  /** The rows of the segment are visible, and the lane does not read its file any more. */
  onInserted(segment: Segment): void;
  /** The lane has inserted every segment that it was given. */
  onIdle(): void;
};

const retryDelayMsMin = 50;
const retryDelayMsMax = 1_000;
const failuresBetweenReports = 20; // one line in the log for many failures of the same kind

export class Lane {
  readonly #deps: LaneDeps;
  readonly #options: LaneOptions;
  readonly #queue: Segment[] = [];
  #work: Promise<void> | null = null;
  /** In a row, since the last insert that succeeded. */
  #failures = 0;

  constructor(deps: LaneDeps, options: LaneOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#work === null;
  }

  /** The shard did not take the last insert, or its engine is known to be down. */
  get isAway(): boolean {
    return this.#failures > 0 || this.#options.shard.access.endpoint() === null;
  }

  add(segment: Segment): void {
    this.#queue.push(segment);
    this.#work ??= this.#insertAll();
  }

  /** Resolves once no insert is under way. To be called after `stopping` was aborted. */
  async finish(): Promise<void> {
    await this.#work;
  }

  async #insertAll(): Promise<void> {
    const { stopping, spreading } = this.#deps;
    for (let segment = this.#queue[0]; segment && !stopping.aborted; segment = this.#queue[0]) {
      if (segment.isSpread && this.#failures === 0) await spreading.begin(stopping);
      try {
        await this.#insert(segment);
      } catch (error) {
        if (stopping.aborted) break;
        this.#reportFailure(error);
        if (!(await this.#makeRoom(error))) await this.#pauseAfterFailure();
        continue;
      }
      this.#queue.shift();
      this.#failures = 0;
      if (segment.isSpread) spreading.end();
      this.#options.onInserted(segment);
    }
    this.#work = null;
    if (!stopping.aborted) this.#options.onIdle();
  }

  async #insert(segment: Segment): Promise<void> {
    const { deletions, confirm } = this.#deps;
    const { access } = this.#options.shard;
    const { isUncertain } = segment;
    if (isUncertain) await this.#checkBlocks(segment);
    if (segment.blockBytes === 0) return;
    const due = (await deletions?.find(segment)) ?? [];
    await this.#send(segment, due);
    await confirm(access);
    // What was deleted since, perhaps before the insert began; and what an earlier one may have brought.
    const dueNow = (await deletions?.find(segment)) ?? [];
    const isKnown = ({ deletedAt }: DueDeletion) => due.some(known => known.deletedAt === deletedAt);
    if (dueNow.length > 0 && (isUncertain || !dueNow.every(isKnown)))
      await strikeOutDue(access, segment, dueNow);
  }

  async #send(segment: Segment, due: readonly DueDeletion[]): Promise<void> {
    const { agents } = this.#deps;
    const endpoint = this.#options.shard.access.endpoint();
    if (endpoint === null) throw new InsertError('The log engine is not running.');
    const { range, isUncertain } = segment;
    const name = `tapedeck-${segment.name}`;
    segment.isUncertain = true; // until the answer is there
    if (due.length > 0) return await this.#sendRest(endpoint, segment, due);
    const insert = { name, range, blocks: readBlocks(segment) };
    try {
      await (isUncertain ? insertMissing : insertBlocks)(agents, endpoint, insert);
    } catch (error) {
      if (!(error instanceof InsertError && error.isOutOfMemory)) throw error;
      // An insert that does not fit into the engine's memory now may never fit; smaller pieces take less.
      for (const [index, piece] of splitSegment(segment).entries()) {
        const part = { name: `${name}-${index}`, range, blocks: readBlocks(piece) };
        await insertMissing(agents, endpoint, part);
      }
    }
  }

  /** Only what was not deleted while it waited; in pieces, for that happens rarely. */
  async #sendRest(endpoint: Endpoint, segment: Segment, due: readonly DueDeletion[]): Promise<void> {
    const pieces = divideSegment(segment, due).flatMap(({ segment: part, deletions }) =>
      splitSegment(part).map(piece => ({ piece, without: deletions })),
    );
    for (const [index, { piece, without }] of pieces.entries()) {
      const name = `tapedeck-${segment.name}-${index}`;
      const insert = { name, range: segment.range, blocks: readBlocks(piece), without };
      await insertMissing(this.#deps.agents, endpoint, insert);
    }
  }

  async #checkBlocks(segment: Segment): Promise<void> {
    const dropped = await segment.dropDamaged();
    if (dropped === 0) return;
    this.#deps.log.error(
      { segment: segment.name, dropped },
      'groups of entries in the journal are damaged and lost',
    );
  }

  /** Gives up the reserve of a full disk. The next attempt uses it at once, so that no other program takes the room. */
  async #makeRoom(error: unknown): Promise<boolean> {
    const { room } = this.#deps;
    return room !== null && error instanceof InsertError && error.isDiskFull && (await room.giveReserve());
  }

  #reportFailure(error: unknown): void {
    if (this.#failures++ % failuresBetweenReports !== 0) return;
    this.#deps.log.warn(
      { err: error },
      'the log engine did not take the entries; they are kept and sent again',
    );
  }

  /** Ends early when the engine comes up, or the service stops. */
  async #pauseAfterFailure(): Promise<void> {
    const delayMs = Math.min(retryDelayMsMin * 2 ** Math.min(this.#failures, 10), retryDelayMsMax);
    const up = Promise.withResolvers<void>();
    const unsubscribe = this.#options.shard.access.onUp(up.resolve);
    const pause = wait(delayMs, undefined, { signal: this.#deps.stopping, ref: false });
    await Promise.race([pause.catch(() => {}), up.promise]);
    unsubscribe();
  }
}
