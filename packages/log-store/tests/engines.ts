/** Real engines and intakes for tests. */
import path from 'node:path';
import { type OpenedIntake, openLogIntake } from '../src/intake/intake.ts';
import { localDisk } from '../src/journal/disk/disk.ts';
import { queryRows } from '../src/writer/engine/statements.ts';
import {
  type EngineAccess,
  type SupervisedEngine,
  superviseEngine,
} from '../src/writer/engine/supervision.ts';
import { InsertedTexts, type InsertedTextsLimits } from '../src/writer/inserted/insertedTexts.ts';
import { localTable } from '../src/writer/schema/schema.ts';
import { createSchema } from '../src/writer/schema/tables.ts';
import { silentLog } from './rows.ts';

const usualMemoryBytes = 800_000_000;

export type OpenedStore = AsyncDisposable & {
  engine: SupervisedEngine;
  intake: OpenedIntake;
  inserted: InsertedTexts;
};

type StoreOptions = { memoryBytesMax?: number; limits?: InsertedTextsLimits };

/** An engine with its table, and an intake in front of it, in one directory. */
export async function openStore(
  directory: string,
  { memoryBytesMax = usualMemoryBytes, limits }: StoreOptions = {},
): Promise<OpenedStore> {
  await using opened = new AsyncDisposableStack();
  const engineDirectory = path.join(directory, 'engine');
  const options = { directory: engineDirectory, memoryBytesMax };
  const engine = opened.use(await superviseEngine(options, silentLog));
  await createSchema({ access: engine, clusterName: null, durability: 'checkpointed' });
  const inserted = new InsertedTexts(engine, limits);
  const intake = opened.use(await openIntake(path.join(directory, 'journal'), engine, inserted));
  const running = opened.move();
  return { engine, intake, inserted, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Opens an intake whose journal is in the directory. */
export function openIntake(
  directory: string,
  access: EngineAccess,
  inserted: InsertedTexts | null = null,
): Promise<OpenedIntake> {
  const shards = [{ url: 'embedded', access }];
  return openLogIntake(
    { disk: localDisk, log: silentLog, inserted },
    { directory, shards, engineDirectory: path.join(directory, '../engine') },
  );
}

/** Counts how often each message is stored. */
export async function countMessages(engine: SupervisedEngine): Promise<Map<string, number>> {
  const sql = `SELECT body, count() FROM ${localTable} GROUP BY body`;
  const rows = await queryRows(engine, { sql });
  return new Map(rows.map(([body, count]) => [String(body), Number(count)]));
}
