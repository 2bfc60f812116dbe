/** Checks whether the log store answers. If not, throws an error that tells operators which server, why, and what to do. */
import { Failure } from '@tapedeck/values/failure';
import { LogStoreFailure } from '../../failures.ts';
import { EngineError } from '../engine/requests.ts';
import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import type { LogTables } from './remoteTables.ts';
import { nameServer } from './serverMarks.ts';

const pingMsMax = 3_000;

/** ClickHouse's error codes for an unknown user or a wrong password. */
const closedCodes = [192, 193, 194, 516];

/** Explains errors of external servers only: a local engine restarts whenever it ends. */
export async function pingLogs(
  shards: readonly EngineAccess[],
  { tables, isLocal }: { tables: LogTables | null; isLocal: boolean },
): Promise<void> {
  if (tables !== null && tables.finding !== null) throw tables.finding;
  const pings = shards.map(async access => {
    try {
      await queryRows(access, { sql: 'SELECT 1', signal: AbortSignal.timeout(pingMsMax) });
    } catch (error) {
      throw isLocal ? error : explainTrouble(access, error);
    }
  });
  await Promise.all(pings);
  tables?.require();
}

function explainTrouble(access: EngineAccess, error: unknown): LogStoreFailure {
  const server = nameServer(access).replace('the', 'The');
  const engineError = error instanceof Failure ? error.cause : error;
  if (engineError instanceof EngineError) {
    const { engineCode } = engineError;
    const advice = closedCodes.includes(engineCode)
      ? 'rejects the service: correct the user and password in TAPEDECK_CLICKHOUSE_URL.'
      : `refuses to answer (code ${engineCode}): see its log.`;
    return new LogStoreFailure('engine_unavailable', `${server} ${advice}`, { cause: error });
  }
  const sentence = `${server} does not answer: start it, or check TAPEDECK_CLICKHOUSE_URL.`;
  return new LogStoreFailure('engine_unavailable', sentence, { cause: error });
}
