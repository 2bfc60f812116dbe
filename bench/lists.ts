/** Lists a million files over HTTP, on SQLite and, if Debian's package is installed, on PostgreSQL. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { hasPostgres, startPostgres } from '../scripts/engines/postgres.ts';
import { type Bench, median, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { composeFixture } from './filesFixture.ts';
import { type BenchService, startBenchService } from './processes.ts';

const count = 1_000_000;
const targetMs = 20;
const rounds = 15;

const questions = [
  ['page 1', 'limit=50'],
  ['page 9,000 of 100', 'page=9000&limit=100'],
  ['a cursor in the middle', 'limit=100&cursor='],
  ['images, page 3,000', 'type=image&page=3000&limit=100'],
  ['a folder', 'path=folder7&limit=100'],
  ['a folder and a type, deep', 'path=folder7&type=audio&page=150&limit=100'],
  ['metadata', 'metadata.player=77&limit=100'],
  ['a name', 'q=999999&limit=100'],
] as const;

export const lists: Bench = {
  name: 'lists',
  about: 'pages of a million files with their exact totals',
  run: async () => {
    await measureSqlite();
    if (hasPostgres()) await measurePostgres();
    else console.log('PostgreSQL is not installed here, and was not measured.');
  },
};

async function measureSqlite(): Promise<void> {
  await using service = await startBenchService({ TAPEDECK_MEDIA_TOKEN: token }, null);
  using database = new DatabaseSync(path.join(service.dataDir, 'tapedeck.db'), { timeout: 30_000 });
  for (const statement of composeFixture(count)) database.exec(statement);
  await printTimes('SQLite', service);
}

async function measurePostgres(): Promise<void> {
  await using postgres = await startPostgres();
  const settings = {
    TAPEDECK_MEDIA_TOKEN: token,
    TAPEDECK_SECRET: `${token}${token}`,
    TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  };
  await using service = await startBenchService(settings, null);
  const client = new pg.Client({ connectionString: postgres.urlOf('postgres') });
  await client.connect();
  for (const statement of composeFixture(count)) await client.query(statement);
  await client.query('VACUUM'); // the server does the same soon after
  await client.end();
  await printTimes('PostgreSQL', service);
}

async function printTimes(database: string, service: BenchService): Promise<void> {
  const { nextCursor } = await timePage(service, 'page=5000&limit=100');
  const rows: string[][] = [];
  for (const [name, query] of questions) {
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round < rounds; round += 1) {
      const answer = await timePage(service, query.endsWith('cursor=') ? query + nextCursor : query);
      total = answer.total;
      times.push(answer.ms);
    }
    rows.push([name, String(total), median(times).toFixed(1), name === 'a name' ? '' : String(targetMs)]);
  }
  printTable([`list on ${database}`, 'total', 'median ms', 'target'], rows);
}

async function timePage(service: BenchService, query: string) {
  const startedAt = performance.now();
  const response = await ask(service, `/file?${query}`);
  // A page, per the contract.
  const { pagination } = (await response.json()) as { pagination: { total: number; nextCursor: string } };
  return { ms: performance.now() - startedAt, ...pagination };
}
