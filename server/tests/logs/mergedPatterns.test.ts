/** Rows of many merged patterns over HTTP: a row counts exactly what a query for it finds, with any other filter. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { listLogPatterns } from '@tapedeck/contract/logPatterns';
import * as logs from '@tapedeck/contract/logs';
import { hostileSets, makeHostileEntries } from '@tapedeck/log-patterns/testing';
import { readAs } from '../support/jsonAnswers.ts';
import { follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, get, store } = await openLogClient(service);
const baseMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000;
const encode = encodeURIComponent;
const at = (seconds: number) => new Date(baseMs + seconds * 1000).toISOString();
const entriesPerSet = 4_000;

const sets = Object.entries(hostileSets).map(([title, kinds], index) => ({
  title,
  dataset: `set-${index}`,
  lines: makeHostileEntries(kinds, entriesPerSet, index + 1),
}));

for (const { dataset, lines } of sets) {
  const entries = lines.map(({ body, metadata }, index) => ({
    level: index % 3 === 0 ? 'warn' : 'info',
    message: body,
    timestamp: at(index / 2),
    metadata,
  }));
  for (let first = 0; first < entries.length; first += 1_000)
    await store(entries.slice(first, first + 1_000), dataset);
}

async function askPatterns(query: string) {
  return readAs(listLogPatterns.answer, await get(`/patterns?from=${at(0)}&to=${at(7_200)}&${query}`));
}

async function count(dataset: string, query: string): Promise<number | undefined> {
  const search = `?dataset=${dataset}&from=${at(0)}&to=${at(7_200)}&limit=1&includeTotal=true&query=${encode(query)}`;
  return (await readAs(logs.queryLogs.answer, await get(search))).pagination.total;
}

describe('merged patterns', () => {
  for (const { title, dataset } of sets) {
    it(`of a ${title} are few, and each finds what it counts`, async () => {
      const { data, total } = await askPatterns(`dataset=${dataset}&buckets=5`);
      assert.ok(total < 60, `${total} patterns: ${data.map(row => row.template).join('\n')}`);
      assert.equal(data.length, total);
      assert.equal(
        data.reduce((sum, row) => sum + row.entries, 0),
        entriesPerSet,
      );
      assert.ok(data.some(row => row.variants > 100));
      for (const row of data) {
        assert.equal(await count(dataset, `pattern:${row.pattern}`), row.entries, row.template);
        assert.equal(
          row.counts.reduce((sum, one) => sum + one, 0),
          row.entries,
        );
      }
      const again = await askPatterns(`dataset=${dataset}&buckets=5`);
      assert.deepEqual([again.data, again.total], [data, total]);
    });
  }

  it('agree with further conditions, without them, and in the histogram', async () => {
    const { dataset } = sets[0]!;
    const { data } = await askPatterns(`dataset=${dataset}&query=level:warn&buckets=4`);
    const large = data.filter(row => row.variants > 100);
    assert.ok(large.length > 0);
    const all = await count(dataset, '*');
    for (const { pattern, entries, counts, template } of large) {
      const query = `level:warn pattern:${pattern}`;
      assert.equal(await count(dataset, query), entries, template);
      const without = await count(dataset, `-(${query})`);
      assert.equal(without, all! - entries);
      const drawn = await readAs(
        logs.getHistogram.answer,
        await get(
          `/histogram?dataset=${dataset}&from=${at(0)}&to=${at(7_200)}&buckets=4&query=${encode(query)}`,
        ),
      );
      assert.deepEqual(
        drawn.data.map(one => one.counts.warn),
        counts,
      );
    }
  });

  it('can be queried by any template with gaps, and an unmatched template finds nothing', async () => {
    const { dataset } = sets[1]!;
    const joined = await count(dataset, 'body:"joined the game"');
    assert.equal(await count(dataset, 'pattern:"[Server thread/INFO]: <*> joined the game"'), joined);
    assert.equal(await count(dataset, 'pattern:"[Server thread/INFO]: <*> flew away"'), 0);
    assert.equal(await count(dataset, '-pattern:"[Server thread/INFO]: <*> flew away"'), entriesPerSet);
    // A text without a placeholder is no template. Nor is the empty text, though an entry without a body has it.
    await store([{ level: 'info', message: '', timestamp: at(1) }], 'bare');
    for (const text of ['', 'joined the game']) assert.equal(await count('bare', `pattern:"${text}"`), 0);
  });

  it('of tracebacks are the raised errors, however long the frames are', async () => {
    const frame = '  File "shop.py", line 5, in buy\n    pay(cart)\n';
    const raise = (frames: number, raised: string) => ({
      level: 'error',
      timestamp: at(frames),
      metadata: { player: 'Ann' },
      message: `Traceback (most recent call last):\n${frame.repeat(frames)}${raised}`,
    });
    const plain = { ...raise(1, 'KeyError: 5'), metadata: undefined };
    await store([plain, raise(300, 'KeyError: 6'), raise(301, 'BanError: Ann is banned')], 'python');
    const { data } = await askPatterns('dataset=python');
    assert.deepEqual(
      data.map(({ template, entries }) => [template, entries]),
      [
        ['KeyError: <n>', 2],
        ['BanError: <player> is banned', 1],
      ],
    );
    assert.equal(await count('python', 'pattern:"KeyError: <*>"'), 2);
  });

  it('are followed by their template', async () => {
    const item = (message: string, metadata: object = {}) => ({ level: 'info', message, metadata });
    const query = new URLSearchParams({
      dataset: 'followed',
      query: 'pattern:"<who> waves to <*>" OR -pattern:"<*> leaves"',
    });
    await using follower = await follow(service.url, `${query}`, { token });
    const sent = [item('Ben leaves'), item('Ann waves to Ben', { who: 'Ann' }), item('stays here')];
    await store(sent, 'followed');
    assert.deepEqual(await follower.takeBodies(2), ['Ann waves to Ben', 'stays here']);
  });

  it('are few and exact when only new ones are requested', async () => {
    const { dataset } = sets[0]!;
    const { data } = await askPatterns(`dataset=${dataset}&new=true`);
    for (const row of data.slice(0, 5))
      assert.equal(await count(dataset, `pattern:${row.pattern}`), row.entries);
  });
});
