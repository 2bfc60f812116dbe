/** Sign-ins while the account changes, on PostgreSQL. */
import { after } from 'node:test';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { testSignInRaces } from '../support/signInRaces.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
testSignInRaces('PostgreSQL', await openMetadataStore({ kind: 'postgres', url: server.urlOf('postgres') }));
