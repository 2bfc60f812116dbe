/** The metadata store on SQLite. */
import { sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testConformance } from './conformance.ts';

testConformance(sqliteAdapter);
