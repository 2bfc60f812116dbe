/** Two time spans of log entries compared over HTTP: exact counts for each value, and requests that are refused. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { compareLogs } from '@tapedeck/contract/logComparison';
import { listLogValues } from '@tapedeck/contract/logFields';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const foreign = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'foreign') });
const narrow = await addToken(owner, { kind: 'logs', scopes: ['read', 'dataset:shown'] });
const baseMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 2 * 86_400_000;

function at(seconds: number): string {
  return new Date(baseMs + seconds * 1000).toISOString();
}

const long = '🎮'.repeat(4_000);
const rightToLeft = 'مرحبا';
const control = 'a\u0001b\nc\u007f';

// An entry each second: ten seconds of the baseline, and ten others from 100 on.
const earlier = Array.from({ length: 10 }, (_, index) => ({
  level: 'info',
  message: `tick ${index}`,
  resource: 'core',
  metadata: {
    player: { id: 7, name: rightToLeft, pos: { x: 1.5 } },
    isAlive: true,
    unique: `id-${index}`,
    items: [{ kind: 'box' }],
    empty: '',
  },
  timestamp: at(index),
}));
const later = Array.from({ length: 10 }, (_, index) => ({
  level: index < 6 ? 'error' : 'info',
  message: `tick ${index}`,
  resource: index < 6 ? '' : 'core',
  metadata: {
    player: { id: 7, name: index < 5 ? '🎮' : rightToLeft, pos: { x: 2 } },
    isAlive: index >= 5,
    unique: `id-${10 + index}`,
    level: 'deck',
    [control]: control,
    ...(index < 5 && { long }),
  },
  timestamp: at(100 + index),
}));
await store([...earlier, ...later], 'shown');
await store([{ level: 'warn', message: 'aside', timestamp: at(3) }], 'aside');

const spans = `from=${at(100)}&to=${at(109)}&baselineFrom=${at(0)}&baselineTo=${at(9)}`;

type Line = readonly [field: string, value: string, entries: number, baselineEntries: number];
type Compared = { lines: Line[]; entries: number; baselineEntries: number; compared: number };

async function compare(query: string, headers?: Record<string, string>): Promise<Compared> {
  const answer = await readAs(compareLogs.answer, await get(`/comparison?${query}`, headers));
  const { data, entries, baselineEntries, compared } = answer;
  const lines = data.map(each => [each.field, each.value, each.entries, each.baselineEntries] as const);
  return { lines, entries, baselineEntries, compared };
}

const values = await readAs(listLogValues.answer, await get('/values?dataset=shown&field=pattern'));
const pattern = values.data[0]!.value;

// Equally clear differences by name and value.
const all: Line[] = [
  ['empty', '', 0, 10],
  ['items.0.kind', 'box', 0, 10],
  [control, control, 10, 0],
  ['metadata.level', 'deck', 10, 0],
  ['player.pos.x', '1.5', 0, 10],
  ['player.pos.x', '2', 10, 0],
  ['level', 'error', 6, 0],
  ['isAlive', 'false', 5, 0],
  ['long', long, 5, 0],
  ['player.name', '🎮', 5, 0],
  ['level', 'info', 4, 10],
  ['resource', 'core', 4, 10],
  ['isAlive', 'true', 5, 10],
  ['player.name', rightToLeft, 5, 10],
  ['dataset', 'shown', 10, 10],
  ['pattern', pattern, 10, 10],
  ['player.id', '7', 10, 10],
];
const byLead = all.toSorted(
  (one, other) => lead(other) - lead(one) || order(one[0], other[0]) || order(one[1], other[1]),
);

function lead([, , here, there]: Line): number {
  return Math.abs(here - there) / Math.sqrt(here + there);
}

function order(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

describe('compares', () => {
  const whole = { entries: 10, baselineEntries: 10, compared: 17 };
  const same = (lines: readonly Line[], side: 0 | 1): Line[] =>
    lines.map(([field, value, ...counts]) => [field, value, counts[side]!, counts[side]!]);
  const nothing: Compared = { lines: [], entries: 0, baselineEntries: 0, compared: 0 };
  const rows: readonly [title: string, query: string, expected: Compared][] = [
    ['every value of every field', spans, { lines: byLead, ...whole }],
    ['as many as requested, and still counts all', `${spans}&limit=6`, { lines: byLead.slice(0, 6), ...whole }],
    ['at most five hundred', `${spans}&limit=1000000`, { lines: byLead, ...whole }],
    ['spans the other way round', `from=${at(0)}&to=${at(9)}&baselineFrom=${at(100)}&baselineTo=${at(109)}`, {
      lines: byLead.map(([field, value, here, there]) => [field, value, there, here]),
      ...whole,
    }],
    ['a span without entries', `from=${at(50)}&to=${at(60)}&baselineFrom=${at(0)}&baselineTo=${at(9)}`, {
      lines: byLead.filter(([, , , there]) => there >= 5).map(([field, value, , there]) => [field, value, 0, there] as const)
        .toSorted((one, other) => order(one[0], other[0]) || order(one[1], other[1])),
      entries: 0,
      baselineEntries: 10,
      compared: 10,
    }],
    ['two spans without entries', `from=${at(50)}&to=${at(60)}&baselineFrom=${at(50)}&baselineTo=${at(60)}`, nothing],
    ['nothing', `${spans}&body=absent`, nothing],
    ['a span with itself', `from=${at(0)}&to=${at(9)}&baselineFrom=${at(0)}&baselineTo=${at(9)}`, {
      lines: same(byLead, 1).filter(([, , here]) => here >= 5).toSorted((one, other) => order(one[0], other[0]) || order(one[1], other[1])),
      entries: 10,
      baselineEntries: 10,
      compared: 10,
    }],
    ['a single moment with a span that includes it', `from=${at(0)}&to=${at(0)}&baselineFrom=${at(0)}&baselineTo=${at(5)}&query=player.id:7`, {
      lines: [
        'dataset:shown', 'empty:', 'isAlive:true', 'items.0.kind:box', 'level:info',
        `pattern:${pattern}`, 'player.id:7', `player.name:${rightToLeft}`, 'player.pos.x:1.5', 'resource:core',
      ].map(text => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1), 1, 6] as const),
      entries: 1,
      baselineEntries: 6,
      compared: 10,
    }],
    ['overlapping spans, with entries in both', `from=${at(3)}&to=${at(9)}&baselineFrom=${at(0)}&baselineTo=${at(7)}&query=level:info`, {
      lines: [
        'dataset:shown', 'empty:', 'isAlive:true', 'items.0.kind:box', 'level:info',
        `pattern:${pattern}`, 'player.id:7', `player.name:${rightToLeft}`, 'player.pos.x:1.5', 'resource:core',
      ].map(text => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1), 7, 8] as const),
      entries: 7,
      baselineEntries: 8,
      compared: 10,
    }],
    ['matches of a query', `${spans}&query=level:error`, {
      lines: [
        [control, control, 6, 0],
        ['dataset', 'shown', 6, 0],
        ['level', 'error', 6, 0],
        ['metadata.level', 'deck', 6, 0],
        ['pattern', pattern, 6, 0],
        ['player.id', '7', 6, 0],
        ['player.pos.x', '2', 6, 0],
        ['isAlive', 'false', 5, 0],
        ['long', long, 5, 0],
        ['player.name', '🎮', 5, 0],
      ],
      entries: 6,
      baselineEntries: 0,
      compared: 10,
    }],
    ['matches of a text', `${spans}&query=tick`, { lines: byLead, ...whole }],
    ['matches of other parameters', `${spans}&resource=core&metadata.isAlive=true&q=deck`, {
      lines: [],
      entries: 4,
      baselineEntries: 0,
      compared: 0,
    }],
  ]; // biome-ignore format: a table
  for (const [title, query, expected] of rows)
    it(title, async () => assert.deepEqual(await compare(`dataset=shown&${query}`), expected));

  it('entries that arrive later, at once', async () => {
    const query = `dataset=late&from=${at(0)}&to=${at(9)}&baselineFrom=${at(20)}&baselineTo=${at(29)}`;
    assert.equal((await compare(query)).entries, 0);
    await store(earlier, 'late');
    assert.equal((await compare(query)).entries, 10);
  });

  it("the token's datasets", async () => {
    const count = async (holder: string) =>
      (await compare(`dataset=*&${spans}`, { authorization: holder })).baselineEntries;
    assert.deepEqual([await count(narrow.token), await count(foreign.token)], [10, 0]);
    assert.ok((await count(token)) > 10);
    const aside = await get(`/comparison?dataset=aside&${spans}`, { authorization: narrow.token });
    assert.equal(await describeRefusal(aside), '403 scope_missing');
  });
});

describe('rejects', () => {
  const named = {
    from: at(100),
    to: at(109),
    baselineFrom: at(0),
    baselineTo: at(9),
  };
  const day = 86_400;
  type Changed = Readonly<Record<string, string | undefined>>;
  const rows: readonly [title: string, changed: Changed, field: string, sentence: RegExp][] = [
    ['no start', { from: undefined }, 'from', /from/],
    ['no end', { to: undefined }, 'to', /to/],
    ['no start of the baseline', { baselineFrom: undefined }, 'baselineFrom', /baselineFrom/],
    ['no end of the baseline', { baselineTo: undefined }, 'baselineTo', /baselineTo/],
    ['an empty start', { from: '' }, 'from', /^from must be an RFC 3339 instant/],
    ['a time in words', { baselineFrom: 'yesterday' }, 'baselineFrom', /^baselineFrom must be an RFC 3339/],
    ['an end before its start', { to: at(99) }, 'to', /^to must not be earlier than from\.$/],
    ['a baseline that ends before its start', { baselineTo: at(-1) }, 'baselineTo', /^baselineTo must not be earlier/],
    ['a span that is too long', { to: at(100 + 92 * day + 1) }, 'to', /^to must be at most 92 days after from\.$/],
    ['a baseline that is too long', { baselineFrom: at(8 - 92 * day) }, 'baselineTo', /at most 92 days after baselineFrom/],
    ['a limit of nothing', { limit: '0' }, 'limit', /limit/],
    ['a limit in words', { limit: 'many' }, 'limit', /limit/],
    ['an unknown level', { level: 'loud' }, 'level', /^level must be/],
    ['a dataset that is none', { dataset: 'a b' }, 'dataset', /^dataset must be/],
  ]; // biome-ignore format: a table
  for (const [title, changed, field, sentence] of rows) {
    it(title, async () => {
      const parameters = Object.entries({ ...named, ...changed }).filter(([, value]) => value !== undefined);
      const search = new URLSearchParams(parameters as [string, string][]); // without the missing ones
      const response = await get(`/comparison?${search}`);
      assert.equal(await describeRefusal(response.clone()), '400 invalid_field');
      const refused = (await response.json()) as { field: string; error: string };
      assert.equal(refused.field, field);
      assert.match(refused.error, sentence);
    });
  }

  it('a wrong query, with the position of the mistake', async () => {
    const response = await get(`/comparison?${spans}&query=a)`);
    assert.equal(await describeRefusal(response.clone()), '400 query_invalid');
    assert.equal(((await response.json()) as { position: number }).position, 1);
  });

  it('nothing about the longest span', async () => {
    const query = `from=${at(0)}&to=${at(92 * day)}&baselineFrom=${at(0)}&baselineTo=${at(92 * day)}`;
    assert.ok((await compare(`dataset=shown&${query}`)).entries >= 20);
  });
});
