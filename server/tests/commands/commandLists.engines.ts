/** Tests `status` and the lists on PostgreSQL. */
import { after } from 'node:test';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { testLists } from '../support/commandLists.ts';

const postgres = await startPostgres();
after(() => postgres[Symbol.asyncDispose]());

testLists('PostgreSQL', {
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_SECRET: 's'.repeat(40),
});
