/** Tests Grafana's logcli from the Go module proxy: every query it offers, over real HTTP and WebSockets. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { installLogcli } from '../../../scripts/clients/installedClients.ts';
import { at, openLoki } from '../loki/lokiEntries.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, store } = await openLoki(service);
const logcli = await installLogcli();

const count = 1_200; // more than one page, whatever the page size
const name = (number: number) => `line ${String(number).padStart(4, '0')}`;
const numbers = Array.from({ length: count }, (_, number) => number);
await store(
  numbers.map(number => ({
    timestamp: at(number * 2),
    level: number % 2 === 0 ? 'info' : 'error',
    message: `${name(number)} took=${number}ms`,
    resource: number % 2 === 0 ? 'shop' : 'lobby',
    metadata: { player: { id: number % 5 } },
  })),
  'game',
);

const start = (args: readonly string[], password = token) =>
  spawn(logcli, ['--quiet', '--timezone=UTC', `--addr=${service.url}`, ...args], {
    env: { ...process.env, LOKI_USERNAME: 'any', LOKI_PASSWORD: password },
  });

async function run(args: readonly string[], password?: string): Promise<{ printed: string; said: string }> {
  const child = start(args, password);
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { printed, said };
}

async function list(...args: string[]): Promise<string[]> {
  const { printed, said } = await run(args);
  assert.equal(said, '');
  return printed.split('\n').filter(Boolean);
}

const span = [`--from=${at(0)}`, `--to=${at(3600)}`];
const ofGame = '{dataset="game"}';
const raw = ['--output=raw', ...span];
const shortly = (lines: readonly string[]) => lines.map(line => line.slice(0, name(0).length));

describe('logcli query', () => {
  const listed: readonly [title: string, args: string[], lines: readonly number[]][] = [
    ['newest first', ['--limit=3', ofGame], [1199, 1198, 1197]],
    ['oldest first', ['--limit=3', '--forward', ofGame], [0, 1, 2]],
    ['page by page', ['--limit=1200', '--batch=100', ofGame], numbers.toReversed()],
    ['page by page, oldest first', ['--limit=1200', '--batch=70', '--forward', ofGame], numbers],
    ['in one page', ['--limit=1200', '--batch=5000', ofGame], numbers.toReversed()],
    ['a line filter', [`${ofGame} |~ "line 000[12]"`], [2, 1]],
    ['a parser and a numeric filter', ['--limit=2', `${ofGame} | logfmt | took > 1s`], [1199, 1198]],
    ['one per interval', ['--limit=3', '--interval=5m', ofGame], [1199, 1049, 899]],
  ];
  for (const [title, args, lines] of listed)
    it(title, async () => assert.deepEqual(shortly(await list('query', ...raw, ...args)), lines.map(name)));

  it('a time range', async () => {
    const args = ['query', '--output=raw', `--from=${at(10)}`, `--to=${at(16)}`, ofGame];
    assert.deepEqual(shortly(await list(...args)), [7, 6, 5].map(name));
    const since = await list('query', '--output=raw', '--since=5h', '--limit=1', ofGame);
    assert.deepEqual(shortly(since), [name(1199)]);
    assert.deepEqual(await list('query', '--since=1s', ofGame), []);
  });

  it('with labels, as JSON and as text', async () => {
    const labels = { detected_level: 'error', level: 'error', player_id: '4', service_name: 'lobby' };
    const last = ['--limit=2', ...span, ofGame]; // the output leaves out the label they share, their dataset
    const [first = ''] = await list('query', '--output=jsonl', ...last);
    assert.deepEqual(JSON.parse(first), {
      labels,
      line: 'line 1199 took=1199ms',
      timestamp: at(2398).replace('.000', ''),
    });
    const [line = ''] = await list('query', ...last);
    assert.match(
      line,
      /\{detected_level="error", level="error", player_id="4", service_name="lobby"\} line 1199/,
    );
    assert.match((await list('query', '--include-label=level', ...last))[0] ?? '', /\{level="error"\} line/);
    assert.match((await list('query', '--no-labels', ...last))[0] ?? '', /^\S+ line 1199/);
  });

  it('numbers over time', async () => {
    const query = `sum by (level) (count_over_time(${ofGame}[10m]))`;
    const { printed } = await run(['query', '--step=20m', ...span, query]);
    const series = JSON.parse(printed) as { metric: object; values: [number, string][] }[]; // Loki's shape
    assert.deepEqual(
      series.map(({ metric, values }) => [metric, values.map(([, value]) => value)]),
      [
        [{ level: 'error' }, ['150', '150']],
        [{ level: 'info' }, ['1', '150', '149']],
      ],
    );
  });

  it('statistics', async () => {
    const { said } = await run(['query', '--stats', '--limit=1', ...span, ofGame]);
    assert.match(said, /Summary.ExecTime/);
  });
});

describe('logcli instant-query', () => {
  const queries: readonly [query: string, answer: RegExp][] = [
    [`sum by (level) (count_over_time(${ofGame}[5h]))`, /"level":"error"\},"value":\[[\d.]+,"600"\]/],
    [`topk(1, sum by (player_id) (count_over_time(${ofGame} |= "took=7" [5h])))`, /"player_id":"/],
    ['1 + 1', /^\[[\d.]+,"2"\]/],
    ['vector(3)', /"metric":\{\},"value":\[[\d.]+,"3"\]/],
  ];
  for (const [query, answer] of queries)
    it(query, async () => assert.match((await list('instant-query', query)).join('\n'), answer));
});

describe('logcli lists', () => {
  const lists: readonly [args: string[], expected: string[]][] = [
    [['labels'], ['dataset', 'level', 'player_id', 'service_name']],
    [
      ['labels', 'level'],
      ['error', 'info'],
    ],
    [
      ['labels', 'service_name'],
      ['lobby', 'shop'],
    ],
    [
      ['series', ofGame],
      [
        '{dataset="game", level="error", service_name="lobby"}',
        '{dataset="game", level="info", service_name="shop"}',
      ],
    ],
  ];
  for (const [args, expected] of lists)
    it(args.join(' '), async () => assert.deepEqual((await list(...args, ...span)).toSorted(), expected));
  it('series, with label counts', async () => {
    const printed = (await list('series', '--analyze-labels', ...span, ofGame)).join('\n');
    assert.match(printed, /Total Streams: +2\nUnique Labels: +3/);
    assert.match(printed, /service_name +2 +2/);
  });
});

const goal = (message: string) => ({ level: 'info', message });

it('logcli query --tail follows', async () => {
  const child = start(['query', '--tail', '--output=jsonl', '{dataset="live"} |= "goal"']);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await store([goal('goal before')], 'live');
  const read = async () => (JSON.parse((await lines.next()).value ?? '') as { line: string }).line; // logcli prints this shape
  assert.equal(await read(), 'goal before');
  await store([goal('other'), goal('goal 1')], 'live');
  await store([goal('goal 2')], 'live');
  assert.deepEqual([await read(), await read()], ['goal 1', 'goal 2']);
  child.kill();
  await once(child, 'close');
});

describe('logcli reports', () => {
  const errors: readonly [title: string, args: string[], says: RegExp][] = [
    [
      'the position of a query error',
      ['query', '{dataset="game"'],
      /parse error at line 1, col 16: syntax error: unexpected \$end/,
    ],
    ['the same for a tail', ['query', '--tail', '{dataset="game"'], /parse error at line 1, col 16/],
    ['a page that is too large', ['query', '--limit=6000', '--batch=6000', ofGame], /6000 > 5000/],
    ['that lines have no instant', ['instant-query', ofGame], /not supported as an instant query type/],
  ];
  for (const [title, args, says] of errors) it(title, async () => assert.match((await run(args)).said, says));
  it('a wrong token', async () => {
    for (const args of [['labels'], ['query', ofGame], ['query', '--tail', ofGame]])
      assert.match((await run(args, 'wrong')).said, /This token is not known/);
  });
});
