/** The metadata store on SQLite, while its migrations end at any time. */
import { sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testProcesses } from './conformance.ts';

testProcesses(sqliteAdapter);
