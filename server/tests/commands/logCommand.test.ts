/** `tapedeck logs` with a real service: what it shows, in which order and format, and its errors. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, describe, it, test } from 'node:test';
import { listTokens } from '@tapedeck/contract/tokens';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { commandOf, runProcess, runTapedeck } from '../support/tapedeck.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const noon = Date.parse('2026-01-02T12:00:00Z');
const environment = {
  TAPEDECK_URL: service.url,
  TAPEDECK_TOKEN: token,
  TZ: 'America/New_York',
  NO_COLOR: undefined,
  PAGER: undefined,
  TERM: 'xterm',
};

await store(
  Array.from({ length: 250 }, (_, number) => ({
    level: (['debug', 'info', 'warn', 'error'] as const)[number % 4],
    message: `tick ${number}`,
    resource: number % 2 === 0 ? 'shop' : 'bank',
    metadata: { player: { id: number % 50 } },
    timestamp: noon + number,
  })),
  'default',
);
await store(
  [
    {
      level: 'error',
      message: '^1SCRIPT ERROR^7: bad\r\n  at main.lua:5\n\u001b]0;title\u0007\u001b[32mgreen\u0008',
      resource: 'a\u001b[31mb',
      metadata: { 'name"': 'A B', line: 'x\ny', n: 5 },
      timestamp: noon,
    },
  ],
  'forms',
);

const run = (words: readonly string[], changes: object = {}) =>
  runProcess(['logs', ...words], { environment: { ...environment, ...changes } });

/** Runs the command in this process, for output on standard error only. */
const runHere = (words: readonly string[], changes: object = {}) =>
  runTapedeck(['logs', ...words], { ...environment, ...changes });

/** Returns the numbers of the ticks shown. */
async function show(...words: string[]): Promise<number[]> {
  const { exitCode, printed, complained } = await run(words);
  assert.deepEqual([exitCode, complained], [0, '']);
  return [...printed.matchAll(/tick (\d+)/g)].map(([, number]) => Number(number));
}

const range = (first: number, last: number) =>
  Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => first + (last < first ? -index : index));

describe('which entries are shown, and in which order', { concurrency: 4 }, () => {
  const rows: [string, string[], number[]][] = [
    ['all of them through a pipe, newest last', [], range(0, 249)],
    ['those that match', ['level:error player.id:43'], [43, 143, 243]],
    [
      'the words of a line form one text, including those with a dash',
      ['tick', 'player.id:43', '-level:error'],
      [93, 193],
    ],
    ['the newest ones', ['--limit', '3'], [247, 248, 249]],
    ['more than a page of the newest', ['-n', '120'], range(130, 249)],
    ['more than the page limit', ['-n', '1001'], range(0, 249)],
    ['the oldest ones', ['--limit', '120', '--order', 'asc'], range(0, 119)],
    ['newest first', ['-n120', '--order', 'desc'], range(249, 130)],
    ['all of them, newest first', ['--limit', 'all', '--order=desc'], range(249, 0)],
    ['since a time', ['--since', '2026-01-02T12:00:00.240Z'], range(240, 249)],
    ['until a time', ['--until', '2026-01-02T12:00:00.005Z', '--limit', 'all'], range(0, 5)],
    ['in local time', ['--since', '2026-01-02 07:00:00.248'], [248, 249]],
    ['in UTC', ['--utc', '--since', '2026-01-02T12:00:00.248'], [248, 249]],
    ['for a span', ['--since', '1h'], []],
    ['of another dataset', ['--dataset', 'none'], []],
    ['none', ['--limit', '0'], []],
  ];
  for (const [name, words, expected] of rows) {
    it(name, async () => assert.deepEqual(await show(...words), expected));
  }
});

test('prints each entry as JSON, as the API returns it', async () => {
  const { printed } = await run(['level:error', '-n', '2', '--json']);
  const lines = printed.trimEnd().split('\n');
  const found = (await (await get('?query=level:error&limit=2')).json()) as { data: unknown[] };
  assert.deepEqual(
    lines.map(line => JSON.parse(line)),
    found.data.reverse(),
  );
});

test('prints time, level, resource, indented body and metadata, and no control characters', async () => {
  const { printed } = await run(['--dataset', 'forms']);
  assert.equal(
    printed,
    '2026-01-02 07:00:00.000 ERROR a\u{fffd}[31mb SCRIPT ERROR: bad\n' +
      '      at main.lua:5\n    green\u{fffd}\n    "name\\""="A B" line="x\u{21b5}y" n=5\n',
  );
});

test('prints colours on request, including those of the body', async () => {
  const { printed } = await run(['--dataset', 'forms', '--color', 'always', '--utc']);
  const [first = '', ...rest] = printed.split('\n');
  assert.equal(
    first,
    '\u001b[2m2026-01-02 12:00:00.000Z\u001b[0m \u001b[1;91mERROR\u001b[0m \u001b[36ma\u{fffd}[31mb\u001b[0m ' +
      '\u001b[91mSCRIPT ERROR\u001b[0m: bad',
  );
  assert.equal(rest[1], '    \u001b[32mgreen\u{fffd}\u001b[0m');
});

test('marks the dataset of each entry when there are several', async () => {
  const { printed } = await run(['--dataset', '*', 'SCRIPT']);
  assert.match(printed, /^\S+ \S+ ERROR forms a/);
});

test('ends silently when the reader closes', async () => {
  const child = spawn('sh', ['-c', '"$@" | head -n 1', 'sh', ...commandOf(['logs'])], {
    env: { ...process.env, ...environment },
  });
  const [printed, complained] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.match(printed, /^\S+ \S+ DEBUG shop tick 0 player.id=0\n$/);
  assert.equal(complained, '');
});

describe('rejects wrong arguments with exit code 2', () => {
  const rows: [string[], RegExp][] = [
    [['level:error (a OR'], /^Write a term on each side of OR.*\n {2}level:error \(a OR\n {17}\^\n$/],
    [['level:eror', 'x'], /^Write one of the levels.*\n {2}level:eror x\n {8}\^\n$/],
    [['🎮\tnot:'], /\n {2}🎮 not:\n {9}\^\n$/],
    [['--since', 'yesterday'], /^--since must be a span such as 30m, 1h or 2d, or a time such as 2026/],
    [['--until', '2026-13-01'], /^--until must be/],
    [['--limit', '-1'], /--limit/],
    [['--limit', '1000000'], /^--limit must be a whole number up to 100000, or all\.\n$/],
    [['--order', 'up'], /^--order must be one of asc, desc\.\n$/],
    [['--color', 'red'], /^--color must be/],
    [['--dataset', 'a b'], /dataset/],
    [['--follow', '--until', '1h'], /^--follow appends new entries/],
    [['-f', '--order', 'desc'], /^--follow appends new entries/],
    [['--colour'], /--colour.*Write: tapedeck logs/],
    [['--project', 'default'], /^A token belongs to one project: leave out --project\.\n$/],
    [['--url', 'nowhere'], /^--url must be a URL/],
  ];
  for (const [words, expected] of rows) {
    it(words.join(' '), async () => {
      const { exitCode, printed, complained } = await runHere(words);
      assert.match(complained, expected);
      assert.deepEqual([exitCode, printed], [2, '']);
    });
  }

  it('another service without a token', async () => {
    const { exitCode, complained } = await runHere([], {
      TAPEDECK_TOKEN: '',
      TAPEDECK_URL: 'http://192.0.2.1',
    });
    assert.match(complained, /^A token is missing: give --token T or set TAPEDECK_TOKEN/);
    assert.equal(exitCode, 2);
  });
});

describe('reports failures in one sentence, with exit code 1', () => {
  const rows: [string, string[], RegExp][] = [
    [
      'no service',
      ['--url', 'http://127.0.0.1:9'],
      /^No service answers at http:\/\/127\.0\.0\.1:9: start it, or/,
    ],
    ['no service to follow', ['-f', '--url', 'http://127.0.0.1:9'], /^No service answers/],
    ['an unknown token', ['--token', 'x'.repeat(32)], /^This token is not known/],
    ['an unknown token while following', ['-f', '--token', 'x'.repeat(32)], /^This token is not known/],
  ];
  for (const [name, words, expected] of rows) {
    it(name, async () => {
      const { exitCode, printed, complained } = await runHere(words);
      assert.match(complained, expected);
      assert.match(complained, /^[^\n]+\n$/);
      assert.deepEqual([exitCode, printed], [1, '']);
    });
  }

  it('a token of another kind', async () => {
    const media = await addToken(owner, { kind: 'media' });
    const { exitCode, complained } = await runHere([], { TAPEDECK_TOKEN: media.token });
    assert.match(complained, /logs/);
    assert.equal(exitCode, 1);
  });
});

describe('on the machine of the service', () => {
  const here = {
    TAPEDECK_URL: undefined,
    TAPEDECK_TOKEN: undefined,
    TAPEDECK_DATA_DIR: service.dataDir,
    TAPEDECK_HOST: '127.0.0.1',
    TAPEDECK_PORT: new URL(service.url).port,
  };

  it('needs no token, and leaves none behind', async () => {
    const { printed, complained } = await run(['-n', '1'], here);
    assert.deepEqual([complained, printed.includes('tick 249')], ['', true]);
    const { tokens } = await owner.call(listTokens, { params: { project: 'default' } });
    assert.ok(tokens.every(({ name }) => name !== 'tapedeck logs'));
  });

  it('selects a project by its slug', async () => {
    const other = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'racing') });
    await store([{ level: 'info', message: 'of the other one' }], 'default', { authorization: other.token });
    const { printed } = await run(['--project', 'racing'], here);
    assert.match(printed, /^\S+ \S+ INFO {2}of the other one\n$/);
    const unknown = await run(['--project', 'nope'], here);
    assert.deepEqual([unknown.exitCode, /no such project/.test(unknown.complained)], [1, true]);
  });

  it('also by another name of the machine', async () => {
    const { printed } = await run(['-n', '1', '--url', service.url.replace('127.0.0.1', 'localhost')], here);
    assert.match(printed, /tick 249/);
  });

  it('reports a service that is not running, and creates nothing for it', async () => {
    const { exitCode, complained } = await run([], {
      ...here,
      TAPEDECK_PORT: '9',
      TAPEDECK_DATA_DIR: '/nowhere',
    });
    assert.deepEqual(
      [exitCode, /^No service answers at http:\/\/127\.0\.0\.1:9/.test(complained)],
      [1, true],
    );
  });
});
