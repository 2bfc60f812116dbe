/** Checks the targets of a move before anything is written there, then claims them for this move. */
import { type BlobStore, openBlobStore } from '@tapedeck/blob-stores';
import { findInstallationId, openLogServers } from '@tapedeck/domain/operations/installation';
import {
  type MovedPart,
  type MoveState,
  readMove,
  recordMove,
} from '@tapedeck/domain/operations/installationMove';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { inspectTarget, openTarget } from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { isUnmade, nameDatabase } from '@tapedeck/metadata-store/mirroring';
import type { Config } from '../../config.ts';
import type { MovePlan } from './movePlan.ts';

/** Describes each part's target for the state of the move. For ClickHouse, lists the server names. */
type Words = readonly string[];

/** The installation that moves, and what its database records of earlier tries. */
export type Mover = { store: MetadataStore; installationId: string; state: MoveState };

export type Targets = AsyncDisposable & {
  blobs: BlobStore | null;
  logs: Awaited<ReturnType<typeof openTarget>> | null;
  /** The names under which the servers are recorded. */
  logServerNames: readonly string[];
  state: MoveState;
};

/** Rejects if a target is unusable or holds data that this move did not bring. Writes nothing. */
export async function inspectTargets(
  plan: MovePlan,
  mover: Mover,
): Promise<Partial<Record<MovedPart, string>>> {
  const titles: Partial<Record<MovedPart, string>> = {};
  for (const part of plan.parts) titles[part] = await inspections[part](plan.to, mover);
  return titles;
}

const inspections: Readonly<Record<MovedPart, (to: Config, mover: Mover) => Promise<string>>> = {
  media: async ({ blobs: config }, mover) => {
    await using blobs = await openBlobStore(config, Date.now);
    const mark = await blobs.readMark();
    requireMark(mark, { title: blobs.title, mover });
    if (mover.state.copying.media?.includes(blobs.title)) return blobs.title;
    for await (const { place } of blobs.list()) {
      throw describeFilled(blobs.title, `files, such as ${place},`);
    }
    return blobs.title;
  },
  logs: async ({ logs: config }, mover) => {
    if (config.kind !== 'clickhouse') return '';
    const known = mover.state.copying.logs ?? [];
    const found = await inspectTarget(config);
    for (const { title, mark, holdsEntries } of found) {
      requireMark(mark?.installationId ?? null, { title, mover });
      const isOurs = mark?.names.some(name => known.includes(name)) === true;
      if (holdsEntries && !isOurs) throw describeFilled(title, 'log entries');
    }
    return found.map(({ title }) => title).join(', ');
  },
  database: async ({ database: config }, mover) => {
    if (config.kind !== 'postgres') return '';
    const title = nameDatabase(config);
    if (await isUnmade(config)) return title;
    await using store = await openMetadataStore(config);
    requireMark(await findInstallationId({ store }), { title, mover });
    if ((await readMove({ store })).copying.database !== undefined) return title;
    const { projects, users } = store.read;
    const held = [...(await projects.list()), ...(await projects.listDeleted()), ...(await users.list())];
    if (held.length > 0) throw describeFilled(title, 'an installation');
    return title;
  },
};

function requireMark(mark: string | null, { title, mover }: { title: string; mover: Mover }): void {
  if (mark === null || mark === mover.installationId) return;
  throw new ServiceError(
    'unavailable',
    `${capitalise(title)} belongs to the installation ${mark}, but the data to move belongs to ${mover.installationId}. Choose another, or empty it.`,
  );
}

function describeFilled(title: string, what: string): ServiceError {
  return new ServiceError(
    'not_empty',
    `${capitalise(title)} holds ${what} that this move did not put there. Choose an empty one, or empty it.`,
  );
}

function capitalise(title: string): string {
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}

/** Claims the targets, after `inspectTargets`. The next try needs the first note to continue. */
export async function claimTargets({ parts, to }: MovePlan, mover: Mover): Promise<Targets> {
  const { store, installationId } = mover;
  await using opened = new AsyncDisposableStack();
  let state = mover.state;
  const note = async (part: MovedPart, words: Words) => {
    state = { ...state, copying: { ...state.copying, [part]: words } };
    await recordMove({ store }, state);
  };
  const targets: Omit<Targets, keyof AsyncDisposable> = {
    blobs: null,
    logs: null,
    logServerNames: [],
    state,
  };
  if (parts.includes('media')) {
    targets.blobs = opened.use(await openBlobStore(to.blobs, Date.now));
    await note('media', [targets.blobs.title]);
    await targets.blobs.writeMark(installationId);
  }
  if (parts.includes('logs') && to.logs.kind === 'clickhouse') {
    const title = (await inspectTarget(to.logs)).map(server => server.title).join(', ');
    const names = new Set<string>();
    const known = openLogServers({ store }, installationId);
    targets.logs = await openTarget(to.logs, {
      ...known,
      // Servers that are being filled lack nothing, and servers of an earlier try elsewhere do not matter here.
      list: async () => new Set(),
      add: async given => {
        for (const name of given) names.add(name);
      },
      endUnmarked: async () => undefined,
      mayBeUnmarked: async () => false,
    });
    targets.logServerNames = [...names];
    await note('logs', [title, ...names]);
  }
  if (parts.includes('database') && to.database.kind === 'postgres')
    await note('database', [nameDatabase(to.database)]);
  const running = opened.move();
  return { ...targets, state, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
