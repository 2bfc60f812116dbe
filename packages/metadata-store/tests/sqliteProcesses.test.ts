/** The metadata store on SQLite when a migration is killed at any point. */
import { sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testProcesses } from './conformance.ts';

testProcesses(sqliteAdapter);
