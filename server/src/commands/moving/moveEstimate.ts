/** Estimates how much a move would copy and how long it would take. Writes nothing. */

import { keepInstallationId } from '@tapedeck/domain/operations/installation';
import { type MovedPart, readMove } from '@tapedeck/domain/operations/installationMove';
import { measureEntries } from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { countRows } from '@tapedeck/metadata-store/mirroring';
import { withLogStore } from '../logStore.ts';
import type { MovePlan } from './movePlan.ts';
import { inspectTargets } from './moveTargets.ts';

export type MoveEstimate = {
  parts: readonly MovedPart[];
  targets: Partial<Record<MovedPart, string>>;
  files: number;
  bytes: number;
  entries: number;
  rows: number;
  seconds: number;
};

/** Roughly the rates of a busy machine that ran the service and all servers too (bench/RESULTS.md). Others are faster. */
const rates = {
  filesPerSecond: 12,
  bytesPerSecond: 6_000_000,
  entriesPerSecond: 100_000,
  rowsPerSecond: 2_000,
};

export async function estimateMove(plan: MovePlan): Promise<MoveEstimate> {
  await using store = await openMetadataStore(plan.from.database);
  const mover = {
    store,
    installationId: await keepInstallationId({ store }),
    state: await readMove({ store }),
  };
  const targets = await inspectTargets(plan, mover);
  const measured = { files: 0, bytes: 0, entries: 0, rows: 0 };
  if (plan.parts.includes('media')) {
    for (const { slug } of await store.read.projects.list()) {
      const { files, bytes } = await store.files.usage(slug);
      measured.files += files;
      measured.bytes += bytes;
    }
  }
  if (plan.parts.includes('logs'))
    measured.entries = await withLogStore(plan.from, async logs =>
      logs === null ? 0 : (await measureEntries(logs.shards)).entries,
    );
  if (plan.parts.includes('database')) measured.rows = await countRows(plan.from.database);
  const seconds =
    Math.max(measured.files / rates.filesPerSecond, measured.bytes / rates.bytesPerSecond) +
    measured.entries / rates.entriesPerSecond +
    measured.rows / rates.rowsPerSecond;
  return { parts: plan.parts, targets, ...measured, seconds };
}
