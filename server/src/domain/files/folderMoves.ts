/**
 * Moves folders: every file in one and below it, a few at a time. A move goes on when whoever asked for it has gone. Asking for the same
 * move again follows it, or takes up one that broke off.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { isExpected, ServiceError } from '../../vocabulary.ts';
import type { Reader } from '../identity/principals.ts';
import type { FilePage, StoredFile } from '../ports/files.ts';
import type { PlaceDeps } from './blobRelocation.ts';
import { editFile } from './changes.ts';
import { parseFolderPath } from './folderPath.ts';
import { requirePathScope } from './permissions.ts';
import { narrowFilter, noFileError } from './reading.ts';

const filesPerPage = 100;
const filesAtOnce = 8; // they share the syncs of the database
const passesMax = 5; // over files that come into the folder meanwhile
const movesMax = 4; // of a project at a time
const rememberedMs = 60_000; // how a move ended, for those who ask in between

type MoveProgress = {
  /** Files in the folder when the move began. */
  total: number;
  moved: number;
  /** Files that could not be moved, and why the first could not. */
  failed: number;
  reason: string | null;
  /** Nothing more is moved. */
  isOver: boolean;
};

type FolderMove = { reader: Reader; from: string; to: string };

type Following = {
  /** Answers earlier once the move is over. */
  waitMs: number;
  /** Before a new move moves anything. */
  begin(total: number): Promise<void>;
  /** Calls back with the refusal once the reader may change files no more. */
  watch(stop: (refusal: unknown) => void): Disposable;
};

export type FolderMoves = AsyncDisposable & {
  follow(deps: PlaceDeps, move: FolderMove, following: Following): Promise<MoveProgress>;
};

type Running = {
  project: string;
  progress: MoveProgress;
  /** Resolves once the move is over, however it ended. */
  ended: Promise<void>;
  /** What nobody expected; whoever follows is told. */
  error: unknown;
};

/** Throws `path_invalid` for what is no folder, and for a folder that would be moved into itself. */
export function parseFolderMove(body: { from: string; to: string }): { from: string; to: string } {
  const [from, to] = [parseFolderPath(body.from), parseFolderPath(body.to)];
  if (from === '' || to === '')
    throw new ServiceError('path_invalid', 'Name the folder to move and its new path.');
  if (`${to}/`.startsWith(`${from}/`))
    throw new ServiceError('path_invalid', 'A folder cannot be moved into itself.');
  return { from, to };
}

/** Stops all moves when it is disposed of; whoever asks again takes them up. */
export function openFolderMoves(): FolderMoves {
  const running = new Map<string, Running>();
  const stopping = new AbortController();
  return {
    follow: async (deps, move, following) => {
      const { reader, from, to } = move;
      requirePathScope(reader.scopes, from);
      requirePathScope(reader.scopes, to);
      const types = [...(reader.scopes.types ?? [])].join();
      const name = [reader.project.slug, from, to, types].join('\0');
      if (!running.has(name)) await start(running, name, { deps, move, following, signal: stopping.signal });
      const known = running.get(name);
      if (known === undefined) throw noFolderError(); // another request was told of its end meanwhile
      await Promise.race([known.ended, wait(following.waitMs, null, { ref: false })]);
      if (known.progress.isOver && running.get(name) === known) running.delete(name);
      if (known.error !== null) throw known.error;
      return known.progress;
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new ServiceError('stopping', 'The service is stopping; repeat the request.'));
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

type Start = { deps: PlaceDeps; move: FolderMove; following: Following; signal: AbortSignal };

async function start(
  running: Map<string, Running>,
  name: string,
  { deps, move, following, signal }: Start,
): Promise<void> {
  const project = move.reader.project.slug;
  const total = (await listPage(deps, move, null)).total;
  if (running.has(name)) return; // somebody asked at the same moment
  if (total === 0) throw noFolderError();
  requireFew([...running.values()], project);
  const progress: MoveProgress = { total, moved: 0, failed: 0, reason: null, isOver: false };
  const started: Running = { project, progress, ended: Promise.resolve(), error: null };
  running.set(name, started);
  try {
    await following.begin(total);
  } catch (error) {
    running.delete(name);
    throw error;
  }
  const run = async () => {
    const stopped = new AbortController();
    using _ = following.watch(refusal => stopped.abort(refusal));
    await moveAll(deps, move, { progress, signal: AbortSignal.any([signal, stopped.signal]) });
  };
  const forget = () => running.get(name) === started && running.delete(name);
  started.ended = run()
    .catch(error => {
      started.error = error;
    })
    .finally(() => {
      progress.isOver = true;
      setTimeout(forget, rememberedMs).unref();
    });
}

type Moving = { progress: MoveProgress; signal: AbortSignal };

/** Passes over the folder until nothing is left in it but what cannot be moved. */
async function moveAll(deps: PlaceDeps, move: FolderMove, moving: Moving): Promise<void> {
  const failed = new Set<string>();
  for (let pass = 0; pass < passesMax; pass += 1) {
    let below: number | null = null;
    let tried = 0;
    do {
      const page: FilePage = await listPage(deps, move, below);
      const waiting = page.files.filter(({ id }) => !failed.has(id));
      tried += waiting.length;
      const worker = async () => {
        for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
          moving.signal.throwIfAborted();
          if (!(await moveOne(deps, move, { file, progress: moving.progress }))) failed.add(file.id);
        }
      };
      // All have ended before the move does.
      const ends = await Promise.allSettled(Array.from({ length: filesAtOnce }, worker));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      below = page.positions.at(-1) ?? null;
    } while (below !== null);
    if (tried === 0) return;
  }
}

/** False when it cannot be moved, such as below a path that would be too long. */
async function moveOne(
  deps: PlaceDeps,
  { reader, from, to }: FolderMove,
  { file, progress }: { file: StoredFile; progress: MoveProgress },
): Promise<boolean> {
  try {
    const path = `${to}${file.path.slice(from.length)}`;
    await editFile(deps, reader, { idOrKey: file.id, edits: { path } });
    progress.moved += 1;
    return true;
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (error.code === 'not_found') return true; // deleted meanwhile
    progress.failed += 1;
    progress.reason ??= error.message;
    return false;
  }
}

function listPage(
  { files }: Pick<PlaceDeps, 'files'>,
  { reader, from }: FolderMove,
  below: number | null,
): Promise<FilePage> {
  const filter = narrowFilter(reader, { path: from, type: null, terms: [], metadata: [] });
  const start = below === null ? { offset: 0 } : { belowPosition: below };
  return files.list(reader.project.slug, { filter, limit: filesPerPage, from: start });
}

function requireFew(running: readonly Running[], project: string): void {
  const own = running.filter(each => each.project === project && !each.progress.isOver);
  if (own.length < movesMax) return;
  throw new ServiceError('overloaded', 'Too many folders are being moved; wait for one of them.', {
    retryAfterSeconds: 10,
  });
}

function noFolderError(): ServiceError {
  return noFileError('There is no such folder, or it is empty.');
}
