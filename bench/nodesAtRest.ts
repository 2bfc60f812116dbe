/** Measures what idle nodes cost the PostgreSQL that they share: transactions per minute and connections, by the number of nodes. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../scripts/engines/postgres.ts';
import { type Bench, printTable } from './bench.ts';
import { startBenchService } from './processes.ts';

const settleMs = 20_000; // work at the start, and rare work after it, is done by then
const minuteMs = 60_000;

export const nodesAtRest: Bench = {
  name: 'nodes-at-rest',
  about: 'transactions a minute and connections of nodes that nobody asks, on one PostgreSQL',
  run: async () => {
    await using postgres = await startPostgres();
    const url = postgres.urlOf('postgres');
    await using opened = new AsyncDisposableStack();
    const rows: string[][] = [];
    for (let nodes = 1; nodes <= 3; nodes++) {
      const settings = { TAPEDECK_DATABASE_URL: url, TAPEDECK_SECRET: 's'.repeat(40) };
      opened.use(await startBenchService(settings, null));
      rows.push([String(nodes), ...(await measure(url))]);
    }
    printTable(['nodes', 'transactions a minute', 'connections'], rows);
  },
};

async function measure(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ask = async (sql: string) => Number((await client.query<{ value: string }>(sql)).rows[0]?.value);
  const commits = "select xact_commit as value from pg_stat_database where datname = 'postgres'";
  await wait(settleMs);
  const before = await ask(commits);
  await wait(minuteMs);
  const transactions = (await ask(commits)) - before;
  const connections = await ask(
    "select count(*) as value from pg_stat_activity where application_name = 'tapedeck'",
  );
  await client.end();
  return [String(transactions), String(connections)];
}
