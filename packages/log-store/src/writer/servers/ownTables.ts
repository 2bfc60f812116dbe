/**
 * Creates the tables of the engine in the data directory when it starts, unless the engine has lost its contents. Then the
 * engine is inaccessible: entries wait in the journal, and queries are refused until an operator accepts the loss.
 */

import { LogStoreFailure, WrongOwner } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { createSchema } from '../schema/tables.ts';
import { type EnginePlace, forgetMark, markEngine, readEngineMarks, readInstallation } from './engineMark.ts';
import type { LogServers } from './logServers.ts';
import { describeUnready, type LogTables } from './remoteTables.ts';
import { hasLogTable } from './serverMarks.ts';

type OwnTables = LogTables & {
  /** Gives access to the engine only while the engine lacks nothing. */
  access: EngineAccess;
};

type OwnEngine = EnginePlace & { access: EngineAccess; known: LogServers };

const retryIntervalMs = 1_000;

/** Resolves after the first look; rejects when the engine itself does not work. */
export async function keepOwnTables(engine: OwnEngine, log: Logger): Promise<OwnTables> {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isReady = false;
  let finding: LogStoreFailure | null = null;
  let latest = 0;
  const look = async (): Promise<void> => {
    const number = ++latest;
    clearTimeout(timer);
    isReady = false;
    const found = await findLoss(engine);
    if (number !== latest) return;
    if (found !== null && found.message !== finding?.message)
      log.warn({ reason: found.message }, 'the tables of the log engine are not as expected; checking again');
    finding = found;
    isReady = found === null;
    if (isReady) for (const listener of listeners) listener();
    else lookLater();
  };
  const lookLater = () => {
    timer = setTimeout(() => void look().catch(lookLater), retryIntervalMs).unref();
  };
  await look();
  const unsubscribe = engine.access.onUp(() => void look().catch(lookLater));
  return {
    access: {
      endpoint: () => (isReady ? engine.access.endpoint() : null),
      onUp(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    get finding() {
      return finding;
    },
    require() {
      if (finding !== null) throw describeUnready(finding);
    },
    confirm: async () => {}, // the engine is accessible only while it is as it should be
    [Symbol.dispose]() {
      latest++;
      unsubscribe();
      clearTimeout(timer);
    },
  };
}

/** Returns null if the engine lacks nothing; it then has tables and a mark. */
async function findLoss(engine: OwnEngine): Promise<LogStoreFailure | null> {
  const { access, known, directory } = engine;
  const { installationId } = known;
  const { mark, remembered } = await readEngineMarks(engine);
  const owner = readInstallation(mark);
  if (owner !== null && owner !== installationId)
    return new WrongOwner(known.explainForeign('the log engine in the data directory', owner));
  if (remembered !== null && mark !== remembered) return describeLoss();
  if (remembered !== null && !(await hasLogTable(access))) {
    await forgetMark(directory); // so that the loss is visible without an engine, too
    return describeLoss();
  }
  await createSchema({ access, clusterName: null, durability: 'checkpointed' });
  if (remembered === null) await markEngine(engine, { mark, installationId });
  return null;
}

function describeLoss(): LogStoreFailure {
  return new LogStoreFailure(
    'unavailable',
    'The log engine in the data directory was emptied or replaced, and has lost the mark of this installation, and with it, surely, ' +
      'entries: no question is answered, and new entries wait in the journal. Bring its directory back, or run `tapedeck adopt` to go ' +
      'on without what it held.',
  );
}
