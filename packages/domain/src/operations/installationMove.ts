/**
 * Records where each part of a moving installation is now. It is stored in the source database and, once the database itself moves, in the
 * target too, so that neither a partial copy nor an abandoned original is ever served.
 */

import type { MetadataStore } from '../ports/metadata.ts';
import { ServiceError } from '../vocabulary.ts';

/** The parts that move separately, into or out of the data directory. */
export type MovedPart = 'database' | 'media' | 'logs';

type PartPlace = {
  part: MovedPart;
  /** Whether the part is in the data directory. */
  isOwn: boolean;
};

export type MoveState = {
  /** Parts being copied: their targets in words and, for ClickHouse, the names there. */
  copying: Partial<Record<MovedPart, readonly string[]>>;
  /** Parts that have moved, and their targets. */
  moved: Partial<Record<MovedPart, readonly string[]>>;
};

type Deps = { store: Pick<MetadataStore, 'read' | 'write'> };

const name = 'move';

const settings: Readonly<Record<MovedPart, string>> = {
  database: 'TAPEDECK_DATABASE_URL',
  media: 'TAPEDECK_S3_BUCKET',
  logs: 'TAPEDECK_CLICKHOUSE_URL',
};

const titles: Readonly<Record<MovedPart, string>> = {
  database: 'the database',
  media: 'the files',
  logs: 'the log entries',
};

export async function readMove({ store }: { store: Pick<MetadataStore, 'read'> }): Promise<MoveState> {
  const text = await store.read.installation.find(name);
  // Only `recordMove` writes it.
  return text === null ? { copying: {}, moved: {} } : (JSON.parse(text) as MoveState);
}

export async function recordMove({ store }: Deps, state: MoveState): Promise<void> {
  await store.write(({ installation }) => installation.put(name, JSON.stringify(state)));
}

/** Lets the installation use stores again that it has moved away from. Targets of an unfinished copy stay unusable. */
export async function forgetMoved({ store }: Deps): Promise<void> {
  const { copying, moved } = await readMove({ store });
  if (Object.keys(moved).length > 0) await recordMove({ store }, { copying, moved: {} });
}

/** Rejects if the settings point a part to a place that it has left or not fully reached. */
export async function requireSettled(deps: Deps, places: readonly PartPlace[]): Promise<void> {
  const { copying, moved } = await readMove(deps);
  for (const { part, isOwn } of places) {
    const [to] = moved[part] ?? [];
    if (isOwn && to !== undefined) throw new ServiceError('unavailable', describeLeft(part, to));
    if (!isOwn && copying[part] !== undefined)
      throw new ServiceError('unavailable', describeUnfinished(part));
  }
}

function describeLeft(part: MovedPart, to: string): string {
  return (
    `\`tapedeck migrate-to\` has moved ${titles[part]} of this installation to ${to}: start with ${settings[part]}. ` +
    'To return to the data left in the data directory, without anything stored since, run `tapedeck adopt`.'
  );
}

function describeUnfinished(part: MovedPart): string {
  return (
    `${titles[part].replace('the', 'The')} of this installation ${part === 'logs' || part === 'media' ? 'are' : 'is'} still being copied there: run ` +
    `\`tapedeck migrate-to\` to its end, or start without ${settings[part]}.`
  );
}
