/** Runs deletions on a full disk. The engine would retry forever; this releases the reserve, and gives the caller an error in time. */
import { setTimeout as wait } from 'node:timers/promises';
import { LogStoreFailure } from '../../failures.ts';
import { queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';

const pollIntervalMs = 500;
const withoutRoomMsMax = 5_000; // several attempts of the engine, with the room of the reserve

/** Releases the reserve for a full disk. Resolves to whether that made room. */
export type GiveReserve = () => Promise<boolean>;

/**
 * Runs a statement that ends when its deletions are done. If the engine finds no room for them, it gets the room of the
 * reserve. If that is not enough, the call rejects with `disk_full`. The engine keeps trying, and the entries go once there
 * is room.
 */
export async function runDeletion(
  access: EngineAccess,
  run: (signal: AbortSignal) => Promise<void>,
  { signal, releaseReserve }: { signal: AbortSignal; releaseReserve: GiveReserve },
): Promise<void> {
  const over = new AbortController();
  const running = run(AbortSignal.any([signal, over.signal]));
  const ended = running.then(
    () => null,
    () => null,
  );
  let fullSince: number | null = null;
  for (;;) {
    const pause = wait(pollIntervalMs, 'still running' as const, { signal: over.signal }).catch(() => null);
    if ((await Promise.race([ended, pause])) === null) break;
    if (!(await lacksDiskSpace(access).catch(() => false))) continue; // the outcome of the statement says more
    if (fullSince === null) {
      fullSince = performance.now();
      await releaseReserve();
    } else if (performance.now() - fullSince > withoutRoomMsMax) {
      over.abort();
      throw new LogStoreFailure(
        'disk_full',
        'The disk is too full to delete these entries now. They are deleted automatically once there is space: delete files or add space.',
      );
    }
  }
  over.abort();
  await running;
}

/** The engine wants a tenth more room than the part that it rewrites. If it does not begin with a part, it reports no failure. */
async function lacksDiskSpace(access: EngineAccess): Promise<boolean> {
  const ofTable = `concat(database, '.', table) = '${localTable}'`;
  const sql = `SELECT max(match(reason, 'No space left on device|NOT_ENOUGH_SPACE') OR free < 1.1 * bytes)
    FROM (SELECT latest_fail_reason AS reason, arrayJoin(parts_to_do_names) AS part
      FROM system.mutations WHERE ${ofTable} AND NOT is_done) AS waiting
    LEFT JOIN (SELECT name, bytes_on_disk AS bytes FROM system.parts WHERE ${ofTable} AND active) AS parts
      ON waiting.part = parts.name
    CROSS JOIN (SELECT min(unreserved_space) AS free FROM system.disks) AS room`;
  const [row] = await queryRows(access, { sql });
  return Number(row?.[0] ?? 0) === 1;
}
