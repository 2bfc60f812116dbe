/** Compares rule previews with the live evaluation, which gets the same entries moment by moment. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { advance, emptyState, type Tally } from '@tapedeck/alerting';
import { ingestLogs } from '@tapedeck/contract/logs';
import { updateProject } from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import { previewRule } from '@tapedeck/contract/rules';
import { reportSession } from '@tapedeck/contract/sdk';
import { type Client, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { makeServer } from '../support/reporters.ts';
import { startTestService, type TestService } from '../support/service.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const lookMs = 2_000;
const batchMax = 1_000;
const servers = ['harbour', 'tower', 'field'];

type RuleBody = Omit<BodyOf<typeof previewRule>, 'name'>;
type Entry = { level: 'info' | 'error'; message: string; timestamp: number; metadata: { server: string } };

let service: TestService;
let owner: Person;
let logs: Client;
let now: number;
const entries: Entry[] = [];
const params = { project: 'default' };

before(async () => {
  service = await startTestService();
  owner = await addPerson(service, { isOwner: true });
  logs = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
  now = service.clock.now();
  makeBursts();
  for (let start = 0; start < entries.length; start += batchMax)
    await logs.call(ingestLogs, { body: entries.slice(start, start + batchMax) as never });
});
after(() => service[Symbol.asyncDispose]());

/**
 * Makes a beat every ten minutes, and a few bursts of seconds or minutes. The beats stay minutes away from both ends of the week, because a
 * preview covers the week before its request, which comes up to a minute later.
 */
function makeBursts(): void {
  const add = (at: number, { server, ...entry }: Pick<Entry, 'level' | 'message'> & { server: string }) =>
    entries.push({ ...entry, timestamp: Math.round(at), metadata: { server } });
  for (let at = now - weekMs + 300_000; at < now - 900_000; at += 600_000)
    add(at, { level: 'info', message: 'beat', server: servers[Math.floor(at / 600_000) % 3]! });
  for (let burst = 0; burst < 60; burst++) {
    const at = now - weekMs + 3_600_000 + burst * 9_777_777;
    const spanMs = [3_000, 12_000, 90_000, 240_000][burst % 4]!;
    const count = 5 + (burst % 7) * 4;
    for (let number = 0; number < count; number++) {
      const server = servers[(burst + number) % (burst % 2 === 0 ? 3 : 1)]!;
      add(at + (spanMs * number) / count, { level: 'error', message: `burst ${number}`, server });
    }
  }
}

type Oracle = { condition: Parameters<typeof advance>[0]['condition']; windowSeconds: number; by?: string };

/** Returns when the live evaluation, which runs every two seconds, would have fired. */
function findFirings(chosen: readonly Entry[], { condition, windowSeconds, by }: Oracle): number[] {
  const since = now - weekMs;
  const rule = { condition, windowMs: windowSeconds * 1000, since, isSplit: by !== undefined };
  const sorted = chosen.toSorted((one, other) => one.timestamp - other.timestamp);
  let state = emptyState(since);
  const fired: number[] = [];
  for (let until = since + lookMs, next = 0; until <= now; until += lookMs) {
    const tallies: Tally[] = [];
    for (; next < sorted.length && sorted[next]!.timestamp < until; next++) {
      const { timestamp: ms, metadata } = sorted[next]!;
      tallies.push({ ms, value: by === undefined ? '' : metadata.server, count: 1 });
    }
    const step = advance(rule, state, { tallies, until });
    state = step.state;
    fired.push(...step.transitions.filter(({ kind }) => kind === 'fired').map(({ at }) => at));
  }
  return fired;
}

const errors = () => entries.filter(({ level }) => level === 'error');
const beats = () => entries.filter(({ level }) => level === 'info');

describe('a preview matches the live evaluation', () => {
  const atLeast = (value: number) => ({ op: '>=', value }) as const;
  const below = (value: number) => ({ op: '<', value }) as const;
  const rows: readonly [string, RuleBody, () => Entry[]][] = [
    ['over ten seconds', { kind: 'count', query: 'level:error', condition: atLeast(10), windowSeconds: 10 }, errors],
    ['over a minute', { kind: 'count', query: 'level:error', condition: atLeast(10), windowSeconds: 60 }, errors],
    ['over an hour', { kind: 'count', query: 'level:error', condition: atLeast(20), windowSeconds: 3_600 }, errors],
    ['that any entry meets', { kind: 'count', condition: atLeast(1), windowSeconds: 10 }, () => entries],
    ['per server', { kind: 'count', query: 'level:error', by: 'server', condition: atLeast(5), windowSeconds: 15 }, errors],
    ['of silence', { kind: 'count', query: 'beat', condition: below(1), windowSeconds: 590 }, beats],
    ['of silence that never happens', { kind: 'count', query: 'beat', condition: below(1), windowSeconds: 900 }, beats],
    ['of silence per server', { kind: 'count', query: 'beat', by: 'server', condition: below(2), windowSeconds: 2_900 }, beats],
    ['of change', { kind: 'change', query: 'level:error', condition: { value: 3, factor: 4 }, windowSeconds: 30 }, errors],
  ]; // biome-ignore format: a table
  for (const [name, ruleBody, choose] of rows) {
    it(name, async () => {
      const { kind, by, windowSeconds = 0, condition = {} } = ruleBody;
      const oracle = { condition: { kind, ...condition }, windowSeconds, ...(by && { by }) } as Oracle;
      const expected = findFirings(choose(), oracle);
      const { fired, times } = await owner.call(previewRule, { params, body: ruleBody });
      assert.equal(fired, expected.length);
      assert.ok(fired > 0 || name.includes('never'));
      for (const [index, at] of times.entries()) {
        // A preview reads all at once, so a bucket counts from its last entry.
        const late = Date.parse(at) - expected[index]!;
        assert.ok(late >= 0 && late <= Math.max(1_000, windowSeconds * 20), `${late} ms`);
      }
    });
  }

  it('of new patterns', async () => {
    const place = { project: await addProject(owner, 'patterns') };
    const own = withToken(service, (await addToken(owner, { kind: 'logs', ...place })).token);
    const say = (daysAgo: number, message: string, { level = 'error', dataset = 'default' } = {}) =>
      own.call(ingestLogs, {
        query: { dataset },
        body: [{ level, message, timestamp: Math.round(now - daysAgo * dayMs) }] as never,
      });
    await say(8, 'the old oven');
    await say(3, 'the old oven');
    await say(5, 'the oven is hot');
    await say(2, 'the oven is hot');
    await say(1, 'the oven is hot', { dataset: 'kitchen' });
    await say(4, 'seen before it was an error', { level: 'info' });
    await say(3.9, 'seen before it was an error');
    await say(3, 'no error', { level: 'info' });
    const ruleBody = { kind: 'new_pattern', query: 'level:error', windowSeconds: 60 } as const;
    const { fired, times, windows } = await owner.call(previewRule, { params: place, body: ruleBody });
    assert.deepEqual([fired, windows], [2, null]);
    assert.deepEqual(
      times.map(at => Math.round((now - Date.parse(at)) / dayMs)),
      [5, 1],
    );
    const all = await owner.call(previewRule, { params: place, body: { kind: 'new_pattern' } });
    assert.equal(all.fired, 4);
  });

  it('of servers that went quiet, and of a full quota', async () => {
    const place = { project: await addProject(owner, 'others') };
    const own = withToken(service, (await addToken(owner, { kind: 'logs', ...place })).token);
    await own.call(reportSession, { query: makeServer() });
    const request = async (body: RuleBody) => (await owner.call(previewRule, { params: place, body })).fired;
    assert.equal(await request({ kind: 'session_quiet' }), 0);
    service.clock.advance(dayMs / 2);
    assert.equal(await request({ kind: 'session_quiet' }), 1);
    assert.equal(await request({ kind: 'storage', condition: { value: 50 } }), 0);
    await owner.call(updateProject, { params: place, body: { filesMax: 0 } });
    assert.equal(await request({ kind: 'storage', condition: { value: 50 } }), 1);
  });
});
