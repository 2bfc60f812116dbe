/** Patterns of log entries over HTTP: entries that differ only in numbers, names and times are counted together. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { listLogValues } from '@tapedeck/contract/logFields';
import { listLogPatterns } from '@tapedeck/contract/logPatterns';
import { getSeries } from '@tapedeck/contract/logSeries';
import * as logs from '@tapedeck/contract/logs';
import { listProjectLogPatterns } from '@tapedeck/contract/projectLogs';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const foreign = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'foreign') });
const narrow = await addToken(owner, { kind: 'logs', scopes: ['read', 'dataset:shown'] });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const baseMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 2 * 86_400_000;
const encode = encodeURIComponent;

function at(seconds: number): string {
  return new Date(baseMs + seconds * 1000).toISOString();
}

const item = (seconds: number, message: string, changes: object = {}) => ({
  level: 'info',
  message,
  timestamp: at(seconds),
  ...changes,
});
const micros = (seconds: number) => at(seconds).replace('Z', '000Z');

// Two hours: ticks throughout, errors in the second hour, and one entry long before.
await store(
  [
    ...Array.from({ length: 120 }, (_, index) =>
      item(index * 60 + 7, `tick took ${index * 3} ms`, {
        level: 'debug',
        metadata: { server: `s${index % 2}` },
      }),
    ),
    ...Array.from({ length: 5 }, (_, index) =>
      item(3600 + index * 100, `^1SCRIPT ERROR: @door${index}/main.lua:${index}: nil`, { level: 'error' }),
    ),
    item(4000, '10.1.2.3 banned', { level: 'warn' }),
    item(5000, '2001:db8::7 banned', { level: 'error' }),
    item(6000, 'chat'),
  ],
  'shown',
);
await store([item(-86_400, '10.9.9.9 banned')], 'shown');
await store([item(30, 'aside 1'), item(40, 'aside 2'), item(-3600, 'chat')], 'aside');

const hours = `dataset=shown&interval=1h&from=${at(0)}&to=${at(7199)}`;
const hex = /^[0-9a-f]{16}$/;

async function request(query: string, holder = token) {
  const response = await get(`/patterns?${query}`, { authorization: holder });
  return readAs(listLogPatterns.answer, response);
}

describe('patterns', () => {
  it('have a template, counts by level and by bucket, their first and last time, and a body', async () => {
    const { data, timestamps, total } = await request(hours);
    assert.deepEqual([timestamps, total], [[micros(0), micros(3600)], 4]);
    const none = { debug: 0, info: 0, warn: 0, error: 0 };
    const told = data.map(({ pattern, patterns, variants, merged, paths, sample, ...rest }) => {
      assert.match(pattern, hex);
      assert.deepEqual([patterns, variants, merged, paths], [[pattern], 1, false, []]);
      assert.ok(sample.length > 0);
      return rest;
    });
    const tick = {
      template: 'tick took <n> ms',
      entries: 120,
      levels: { ...none, debug: 120 },
      counts: [60, 60],
    };
    const script = 'SCRIPT ERROR: @<id>/main.lua:<n>: nil';
    const error = { template: script, entries: 5, levels: { ...none, error: 5 }, counts: [0, 5] };
    const banned = {
      template: '<ip> banned',
      entries: 2,
      levels: { ...none, warn: 1, error: 1 },
      counts: [0, 2],
    };
    const chat = { template: 'chat', entries: 1, levels: { ...none, info: 1 }, counts: [0, 1] };
    assert.deepEqual(told, [
      { ...tick, firstSeenAt: micros(7), lastSeenAt: micros(7147) },
      { ...error, firstSeenAt: micros(3600), lastSeenAt: micros(4000) },
      { ...banned, firstSeenAt: micros(-86_400), lastSeenAt: micros(5000) },
      { ...chat, firstSeenAt: micros(6000), lastSeenAt: micros(6000) },
    ]);
  });

  const rows: readonly [title: string, query: string, expected: [string, number][]][] = [
    ['matching a query', 'query=level:error', [['SCRIPT ERROR: @<id>/main.lua:<n>: nil', 5], ['<ip> banned', 1]]],
    ['of a level', 'level=warn', [['<ip> banned', 1]]],
    ['of words', 'body=banned', [['<ip> banned', 2]]],
    ['of a path', 'metadata.server=s1', [['tick took <n> ms', 60]]],
    ['first seen in the range', 'new=true', [['tick took <n> ms', 120], ['SCRIPT ERROR: @<id>/main.lua:<n>: nil', 5], ['chat', 1]]],
    ['first seen in the range, of a level', 'new=true&level=warn,error', [['SCRIPT ERROR: @<id>/main.lua:<n>: nil', 5]]],
    ['first seen in any dataset', 'new=true&level=info&dataset=*', [['aside <n>', 2]]],
    ['without a request for new ones', 'new=false&level=warn', [['<ip> banned', 1]]],
    ['of nothing', 'body=absent', []],
  ]; // biome-ignore format: a table
  for (const [title, query, expected] of rows) {
    it(title, async () => {
      const range = query.includes('dataset=') ? hours.replace('dataset=shown&', '') : hours;
      const { data, total } = await request(`${range}&${query}`);
      assert.deepEqual(
        data.map(({ template, entries }) => [template, entries]),
        expected,
      );
      assert.equal(total, expected.length);
    });
  }

  it('of any time range are divided into sixty buckets', async () => {
    const { data, timestamps } = await request('dataset=shown');
    assert.equal(timestamps.length, 60);
    assert.deepEqual(timestamps[0], micros(-86_400));
    for (const { counts, entries } of data)
      assert.equal(
        counts.reduce((sum, one) => sum + one, 0),
        entries,
      );
    assert.deepEqual(await request('dataset=shown&body=absent'), {
      data: [],
      timestamps: [],
      total: 0,
      status: 'ok',
    });
  });

  it('lead to their entries, by query and in every response', async () => {
    const { data } = await request(hours);
    const { pattern } = data[2]!;
    const { data: found } = await readAs(
      logs.queryLogs.answer,
      await get(`?dataset=shown&query=pattern:${pattern}`),
    );
    assert.deepEqual(
      found.map(({ body, dataset, pattern: own }) => [body, dataset, own]),
      ['2001:db8::7 banned', '10.1.2.3 banned', '10.9.9.9 banned'].map(body => [body, 'shown', pattern]),
    );
    const count = async (query: string) => {
      const path = `?dataset=shown&limit=1&includeTotal=true&query=${encode(query)}`;
      return (await readAs(logs.queryLogs.answer, await get(path))).pagination.total;
    };
    assert.equal(await count(`pattern:${pattern.slice(0, 6).toUpperCase()}*`), 3);
    assert.equal(await count(`pattern:${pattern.toUpperCase()}`), 0);
    assert.equal(await count('pattern:*'), 129);
    assert.equal(await count(`-pattern:(${data[0]!.pattern}, ${pattern})`), 6);
    const { traceId } = found[0]!;
    const single = await readAs(logs.getLog.answer, await get(`/${traceId}`));
    const context = await readAs(
      logs.getLogContext.answer,
      await get(`/${traceId}/context?before=1&after=0`),
    );
    const line = (
      await (await get(`/export?dataset=shown&query=pattern:${pattern}&order=desc`)).text()
    ).split('\n')[0]!;
    for (const { dataset, pattern: own } of [single.data, context.data.entry, JSON.parse(line)])
      assert.deepEqual([dataset, own], ['shown', pattern]);
  });

  it('name variable parts by their metadata path, whoever wrote the entries', async () => {
    const kick = (name: string, seconds: number, changes: object = {}) =>
      item(seconds, `kicked ${name} (${seconds}): aimbot`, { metadata: { player: { name } }, ...changes });
    await store([kick('Olga Jones', 1), kick('Ben', 2), kick('Anna "Mad" Lee', 3, { unknown: [] })], 'kicks');
    const { data, total } = await request('dataset=kicks');
    assert.deepEqual(
      data.map(({ template, paths, entries, merged }) => ({ template, paths, entries, merged })),
      [{ template: 'kicked <player.name> (<n>): aimbot', paths: ['player.name'], entries: 3, merged: false }],
    );
    assert.equal(total, 1);
    const filtered = await get(`?dataset=kicks&query=pattern:${data[0]!.pattern}`);
    assert.equal((await readAs(logs.queryLogs.answer, filtered)).data.length, 3);
  });

  it('are merged when words vary at one position, and found by the row', async () => {
    const names = 'Olga Ben Anna Carla Dmitri Elif Farid Greta'.split(' ');
    const bans = names.flatMap((name, index) =>
      Array.from({ length: index + 1 }, (_, number) =>
        item(index * 60 + number, `banned ${name} for ${number} hours`, {
          level: index % 2 ? 'warn' : 'info',
        }),
      ),
    );
    await store([...bans, item(5, 'chat')], 'bans');
    const { data, total } = await request(`dataset=bans&from=${at(0)}&to=${at(599)}&buckets=10`);
    const [row, chat] = data;
    assert.ok(row && chat);
    const { template, merged, entries, levels, counts, patterns, firstSeenAt, lastSeenAt, sample } = row;
    assert.deepEqual([template, merged, entries], ['banned <*> for <n> hours', true, 36]);
    assert.deepEqual(levels, { debug: 0, info: 16, warn: 20, error: 0 });
    assert.deepEqual(counts, [1, 2, 3, 4, 5, 6, 7, 8, 0, 0]);
    assert.deepEqual([firstSeenAt, lastSeenAt], [micros(0), micros(427)]);
    assert.deepEqual([total, patterns.length, chat.template, chat.merged], [2, 8, 'chat', false]);
    assert.match(sample, /^banned Greta for \d hours$/);
    assert.equal(row.pattern, `(${patterns.join()})`);
    const filtered = await get(`?dataset=bans&includeTotal=true&query=${encode(`pattern:${row.pattern}`)}`);
    assert.equal((await readAs(logs.queryLogs.answer, filtered)).pagination.total, 36);
  });

  it('are values, and series can be split by them', async () => {
    const { data } = await request(`${hours}&level=warn,error`);
    const [first, second] = data.map(({ pattern }) => pattern);
    const values = await readAs(
      listLogValues.answer,
      await get(`/values?${hours}&level=warn,error&field=pattern`),
    );
    assert.deepEqual(values.data, [
      { value: first, count: 5 },
      { value: second, count: 2 },
    ]);
    const { data: drawn } = await readAs(
      getSeries.answer,
      await get(`/series?${hours}&query=level:error&by=pattern&top=1`),
    );
    assert.deepEqual(drawn.series, [
      { value: first, points: [0, 5] },
      { value: null, points: [0, 1] },
    ]);
  });

  it('are limited to datasets that a token may read, and to its project', async () => {
    const list = async (holder: string) =>
      (await request(hours.replace('shown', '*'), holder)).data.map(one => one.template);
    assert.equal((await list(token)).includes('aside <n>'), true);
    assert.equal((await list(narrow.token)).includes('aside <n>'), false);
    assert.equal(
      await describeRefusal(await get('/patterns?dataset=aside', { authorization: narrow.token })),
      '403 scope_missing',
    );
    assert.deepEqual(await list(foreign.token), []);
  });

  it('are the same for users of the project', async () => {
    const query = { dataset: 'shown', from: at(0), to: at(7199), interval: '1h', new: 'true' };
    const found = await viewer.call(listProjectLogPatterns, { params: { project: 'default' }, query });
    const samples = ({ data, ...rest }: typeof found) => ({
      ...rest,
      data: data.map(one => ({ ...one, sample: '' })),
    });
    assert.deepEqual(samples(found), samples(await request(`${hours}&new=true`)));
  });

  it('are at most a hundred, with the total', async () => {
    const letters = (number: number) =>
      number.toString(26).replaceAll(/[0-9]/g, digit => 'qrstuvwxyz'[Number(digit)]!);
    const flood = Array.from({ length: 9_000 }, (_, index) => item(index / 10, letters(index)));
    await store([...flood, ...Array.from({ length: 3 }, () => item(5, 'once more 1'))], 'flood');
    const { data, total } = await request('dataset=flood&buckets=5000');
    assert.deepEqual([data.length, data[0]?.template, data[0]?.entries], [100, 'once more <n>', 3]);
    assert.ok(total > 8_900, `${total}`);
    assert.equal(data[0]?.counts.length, 1_000);
    const digits = data.slice(1).map(({ pattern }) => pattern);
    assert.deepEqual(digits, digits.toSorted());
  });

  it('are deleted with their dataset', async () => {
    const project = 'default';
    await store([item(10, 'doomed 1')], 'doomed');
    assert.equal((await request('dataset=doomed')).data.length, 1);
    await owner.call(deleteDataset, { params: { project, dataset: 'doomed' } });
    assert.deepEqual((await request('dataset=doomed')).data, []);
    await store([item(50, 'doomed 2')], 'doomed');
    assert.equal((await request('dataset=doomed')).data[0]?.firstSeenAt, micros(50));
  });

  const refusals: readonly [query: string, field: string, sentence: RegExp][] = [
    ['new=maybe', 'new', /^new must be true or false/],
    ['buckets=0', 'buckets', /buckets/],
    ['interval=fast', 'interval', /^interval must be a span/],
    [`interval=1s&from=${at(0)}&to=${at(1_001)}`, 'interval', /more than 1000 buckets/],
    ['level=loud', 'level', /^level must be/],
    ['from=soon', 'from', /^from must be/],
  ];
  for (const [query, field, sentence] of refusals) {
    it(`reject ${query}`, async () => {
      const response = await get(`/patterns?${query}`);
      assert.equal(response.status, 400);
      const refused = (await response.json()) as { code: string; field: string; error: string };
      assert.deepEqual([refused.code, refused.field], ['invalid_field', field]);
      assert.match(refused.error, sentence);
    });
  }

  it('reject a query that cannot be parsed', async () =>
    assert.equal(await describeRefusal(await get('/patterns?query=level:')), '400 query_invalid'));
});
