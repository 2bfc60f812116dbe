/** For tests and benchmarks of whoever uses the store: engines without a store before them, and a look behind its back. */
export { attachEngine } from '../src/engine/attachment.ts';
export { startEngine } from '../src/engine/engine.ts';
export { type EngineAccess, type SupervisedEngine, superviseEngine } from '../src/engine/supervision.ts';
export { openLogIntake } from '../src/intake/intake.ts';
export { createLogQueries } from '../src/queries/queries.ts';
export { logQueryTimeMsMax } from '../src/queries/running.ts';
export { queryRows, runCommand } from '../src/queries/statements.ts';
export { localTable } from '../src/schema/schema.ts';
export { createSchema } from '../src/schema/tables.ts';
export { reachServer } from '../src/store.ts';
export { insertEntries, layOutCluster, startTestStore, type TestStore } from './clickhouse.ts';
export { createFirstTable } from './firstVersion.ts';
export type { DecodedRow } from './nativeReading.ts';
export { createRandom, type Random } from './randomEntries.ts';
export { type Relay, relay } from './relay.ts';
export { absentShard, recoverRows, silentLog, smallDisk } from './rows.ts';
