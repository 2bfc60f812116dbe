/** Sign-ins while the account changes, on SQLite. */
import { after } from 'node:test';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { sqliteAdapter } from '@tapedeck/metadata-store/testing/sqliteAdapter';
import { testSignInRaces } from '../support/signInRaces.ts';

const database = await sqliteAdapter.createEmpty();
after(() => database[Symbol.asyncDispose]());
testSignInRaces('SQLite', await openMetadataStore(database.config));
