/**
 * Times and steps at the limits of their formats, and beyond: Loki's words refuse impossible ones, and a remote time finds what there is. Tests
 * each route, since each queries the store differently.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { type AskedFor, at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, ask } = await openLoki(service);
const metadata = { player: { id: '7' } };
await store(
  [1, 2, 3].map(place => ({
    level: 'info',
    resource: 'shop',
    metadata,
    timestamp: at(place),
    message: `{"took": ${place}}`,
  })),
  'game',
);

const query = '{dataset="game"}';
const counted = `sum(count_over_time(${query}[1h]))`;

/** Each route's parameters besides the time, and what its response holds if the time range covers the entries. */
const routes: readonly [path: string, parameters: AskedFor, found: RegExp][] = [
  ['query_range', { query }, /took/],
  ['query_range', { query: `${query} | json | took > 0` }, /took/],
  ['query_range', { query: counted }, /"matrix"/],
  ['query_range', { query: `sum(sum_over_time(${query} | json | unwrap took [1h]))` }, /"matrix"/],
  ['labels', {}, /player_id/],
  ['label', {}, /player_id/],
  ['label/player_id/values', {}, /"7"/],
  ['series', { 'match[]': query }, /"shop"/],
  ['index/stats', { query }, /"entries":3/],
  ['index/volume', { query }, /"33"/],
  ['index/volume_range', { query }, /"33"/],
  ['patterns', { query }, /took/],
  ['detected_labels', { query }, /"label":"dataset"/],
  ['detected_fields', { query }, /took/],
  ['detected_field/took/values', { query }, /"3"/],
];

const refusedMsMax = 5_000; // some milliseconds on an idle machine

async function answer(path: string, parameters: AskedFor): Promise<{ status: number; text: string }> {
  const startedAt = performance.now();
  const response = await ask(path, parameters);
  const text = await response.text();
  assert.ok(performance.now() - startedAt < refusedMsMax);
  if (response.status === 400) assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  return { status: response.status, text };
}

const unreal = ['1e308', '-1e308', '1.0e308', '1e17', '99999999999999999999', '-9223372036854775809000'];
const syntax = ['1e', 'Infinity', 'NaN', '0x10', '10000-01-01T00:00:00Z', '2026-13-01T00:00:00Z'];

describe('rejects times out of range', () => {
  for (const [path, parameters] of routes)
    it(`${path} ${parameters.query ?? ''}`, async () => {
      for (const name of ['start', 'end'])
        for (const [texts, mistake] of [
          [unreal, 'value out of range'],
          [syntax, 'invalid syntax'],
        ] as const)
          for (const text of texts) {
            const refused = await answer(path, { ...parameters, [name]: text });
            const sentence = `could not parse '${name}' parameter: strconv.ParseInt: parsing "${text}": ${mistake}\n`;
            assert.deepEqual(refused, { status: 400, text: sentence });
          }
    });

  it('query', async () => {
    for (const text of unreal)
      assert.deepEqual(await answer('query', { query: counted, time: text }), {
        status: 400,
        text: `strconv.ParseInt: parsing "${text}": value out of range\n`,
      });
  });

  it('tail', async () => {
    const { status, text } = await answer('tail', { query, start: '1e308' });
    assert.equal(status, 400);
    assert.match(text, /^could not parse 'start' parameter/);
  });
});

const first = ['0001-01-01T00:00:00Z', '-9223372036854775808', '-62135596800', '-9999999999', '0', '1e-300'];
const last = [
  '9999-12-31T23:59:59.999999999Z',
  '9223372036854775807',
  '253402300799.5',
  '4294967296',
  `${baseSeconds + 3}000001000`,
];

describe('accepts distant times', () => {
  for (const [path, parameters, found] of routes)
    it(`${path} ${parameters.query ?? ''}`, async () => {
      for (const start of first)
        for (const end of last) {
          const { status, text } = await answer(path, { ...parameters, start, end });
          assert.equal(status, 200, `${start} to ${end}: ${text}`);
          assert.match(text, found);
        }
    });

  for (const [path, parameters, found] of routes)
    it(`${path} ${parameters.query ?? ''}: and nothing outside them`, async () => {
      for (const [start, end] of [
        [first[0], '-9223372036'],
        ['-100', '-50'],
        ['4294967296', '4294967297'],
        ['2200-01-01T00:00:00Z', last[0]],
        [last[0], last[0]],
      ] as const) {
        const { status, text } = await answer(path, { ...parameters, start: start ?? '', end: end ?? '' });
        assert.equal(status, 200, `${start} to ${end}: ${text}`);
        if (!found.test('"matrix"')) assert.doesNotMatch(text, found);
      }
    });

  it('query', async () => {
    for (const time of [...first, ...last.slice(0, 4)]) {
      const { status, text } = await answer('query', { query: counted, time });
      assert.equal(status, 200, `${time}: ${text}`);
      assert.match(text, /"result":\[\]/);
    }
    const all = await answer('query', { query: counted.replace('1h', '290y'), time: '2200-01-01T00:00:00Z' });
    assert.match(all.text, /"3"\]/);
    const shifted = `sum(count_over_time(${query}[1h] offset -100y))`;
    assert.equal((await answer('query', { query: shifted, time: last[1] ?? '' })).status, 200);
    assert.equal(
      (await answer('query', { query: shifted.replace('-', ''), time: first[0] ?? '' })).status,
      200,
    );
  });
});

describe('steps', () => {
  const stepped = routes.filter(([path]) => ['query_range', 'index/volume_range', 'patterns'].includes(path));
  const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600) };
  const overflow = /^cannot parse "[^"]+" to a valid duration. It overflows int64\n$/;
  const rows: readonly [step: string, status: number, sentence: RegExp][] = [
    ['1e300', 400, overflow],
    ['9999999999999999999999', 400, overflow],
    ['-1e300', 400, overflow],
    ['293y', 400, /^cannot parse "293y" to a valid duration\n$/],
    [`${'9'.repeat(400)}h`, 400, /^cannot parse "9{100}" to a valid duration\n$/],
    ['1e', 400, /^cannot parse "1e" to a valid duration\n$/],
    ['0', 400, /^zero or negative query resolution/],
    ['-1', 400, /^zero or negative query resolution/],
    ['9223372036', 200, /./],
    ['292y', 200, /./],
    ['1e9', 200, /./],
  ];
  for (const [path, parameters] of stepped)
    for (const [step, status, sentence] of rows)
      it(`${path} ${parameters.query ?? ''}: ${step.slice(0, 30)}`, async () => {
        const answered = await answer(path, { ...parameters, ...hour, step });
        assert.equal(answered.status, status, answered.text);
        assert.match(answered.text, sentence);
      });

  it('that are tiny are too many, except for patterns, which have their own steps', async () => {
    for (const step of ['1e-300', '0.0000001', '1ns'])
      for (const [path, parameters] of stepped) {
        const answered = await answer(path, { ...parameters, ...hour, step });
        assert.equal(answered.status, path === 'patterns' ? 200 : 400, `${path} ${step}: ${answered.text}`);
      }
  });

  it('and intervals between lines', async () => {
    const refused = await answer('query_range', { query, ...hour, interval: '1e300' });
    assert.match(refused.text, overflow);
    const { status, text } = await answer('query_range', { query, ...hour, interval: '292y' });
    assert.equal(status, 200, text);
    assert.equal(text.match(/took/g)?.length, 1);
  });
});
