/** The metadata store on SQLite, shared by processes that may end at any time. */

import { sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testProcesses } from './conformance.ts';

testProcesses(sqliteAdapter);
