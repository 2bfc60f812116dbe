/** Sign-ins while the account changes, on SQLite. */
import { after } from 'node:test';
import { openMetadataStore } from '../../src/stores/metadata/store.ts';
import { sqliteAdapter } from '../metadata/conformance/sqliteAdapter.ts';
import { testSignInRaces } from '../support/signInRaces.ts';

const database = await sqliteAdapter.createEmpty();
after(() => database[Symbol.asyncDispose]());
testSignInRaces('SQLite', await openMetadataStore(database.config));
