/** Exports for tests and benchmarks of programs that use the store: engines without a store, and the store's internals. */

export { openLogIntake } from '../src/intake/intake.ts';
export { nameNote } from '../src/journal/bucket/offlineRegistrations.ts';
export { nameSegment } from '../src/journal/bucket/segmentObject.ts';
export { sweepSegments } from '../src/journal/bucket/sweep.ts';
export { createLogQueries } from '../src/queries/queries.ts';
export { logQueryTimeMsMax } from '../src/queries/queryRunner.ts';

export { attachEngine } from '../src/writer/engine/attachment.ts';
export { startEngine } from '../src/writer/engine/engine.ts';
export { closeIdleConnections, queryRows, runCommand } from '../src/writer/engine/statements.ts';
export {
  type EngineAccess,
  type SupervisedEngine,
  superviseEngine,
} from '../src/writer/engine/supervision.ts';
export { localTable } from '../src/writer/schema/schema.ts';
export { createSchema } from '../src/writer/schema/tables.ts';
export { reachServer } from '../src/writer/servers/addresses.ts';
export { insertEntries, makeCluster, startTestStore, type TestStore } from './clickhouse.ts';
export { createFirstTable } from './firstVersion.ts';
export type { DecodedRow } from './nativeReading.ts';
export { createRandom, type Random } from './randomEntries.ts';
export { type Relay, relay } from './relay.ts';
export { absentShard, recoverRows, silentLog, smallDisk } from './rows.ts';
