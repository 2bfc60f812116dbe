/** Rules that do not count entries, and rules for late or repeated entries, over real HTTP. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createChannel } from '@tapedeck/contract/channels';
import { deleteFile } from '@tapedeck/contract/files';
import { decideIssue, listIssues } from '@tapedeck/contract/issues';
import { ingestLogs } from '@tapedeck/contract/logs';
import { updateProject } from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/rules';
import { invalidateSession, reportSession } from '@tapedeck/contract/sdk';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeServer } from '../support/reporters.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const receiver = opened.use(await startReceiver());
const service = opened.use(
  await startTestService({
    environment: { TAPEDECK_OUTGOING_PRIVATE: 'true', TAPEDECK_SDK_SESSION_SECONDS: '60' },
  }),
);
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture();
const running = opened.move();
after(() => running.disposeAsync());

const dayMs = 86_400_000;
const patienceMs = 100_000; // for a busy machine; it takes some seconds

type Told = {
  type: string;
  timestamp: string;
  data: { value: string | null; count: number; returned?: boolean };
};

/** Makes a rule in a new project and collects its notifications. */
async function openRule(project: string, body: Omit<BodyOf<typeof contract.createRule>, 'name'>) {
  await addProject(owner, project);
  const params = { project };
  const target = { name: project, kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const { rule } = await owner.call(contract.createRule, {
    params,
    body: { name: project, channels: [channel.id], ...body },
  });
  const logs = withToken(service, (await addToken(owner, { kind: 'logs', project })).token);
  const list = () =>
    receiver.received
      .map(({ body: text }) => JSON.parse(text) as Told & { data: { project: string } }) // the notifications package writes this shape
      .filter(({ data }) => data.project === project);
  return {
    ...{ params, logs, rule: { ...params, rule: rule.id } },
    say: (...entries: { level?: string; message: string; timestamp?: number }[]) =>
      logs.call(ingestLogs, { body: entries.map(entry => ({ level: 'info', ...entry })) as never }),
    untilTold: async (count: number): Promise<Told[]> => {
      while (list().length < count) await receiver.wait(receiver.received.length + 1);
      return list();
    },
    read: async () => (await owner.call(contract.getRule, { params: { ...params, rule: rule.id } })).rule,
  };
}

const describeTold = (told: readonly Told[]) =>
  told.map(({ type, data: { value, count } }) => `${type} ${value} ${count}`);

/** Tells for each notification of a firing rule whether the issue had been resolved before. */
const describeReturns = (told: readonly Told[]) =>
  told.filter(({ type }) => type === 'rule.fired').map(({ data }) => data.returned);

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + patienceMs; !(await holds()); await wait(50))
    assert.ok(performance.now() < deadline, 'it does not become so');
}

describe('a rule', { concurrency: true }, () => {
  it('of storage fires for each quota by itself, and is resolved when there is room again', async () => {
    const asked = { kind: 'storage', condition: { value: 50 } } as const;
    const { params, read, untilTold } = await openRule('filling', asked);
    await until(async () => (await read()).trouble?.includes('no quota') === true);
    await owner.call(updateProject, { params, body: { filesMax: 4, bytesMax: 3 * picture.length } });
    await until(async () => (await read()).trouble === null);
    const { token } = await addToken(owner, { kind: 'media', ...params });
    const upload = () => uploadFile(service, picture, {}, { token });
    const first = await upload();
    await upload();
    const [, ...told] = await untilTold(3);
    assert.deepEqual(describeTold(told).toSorted(), ['rule.fired bytes 66', 'rule.fired files 50']);
    await withToken(service, token).call(deleteFile, { params: { file: first.id } });
    const [, , , ...resolved] = await untilTold(5);
    assert.deepEqual(describeTold(resolved).toSorted(), ['rule.resolved bytes 33', 'rule.resolved files 25']);
  });

  it('of quiet sessions fires for a server that runs out, not for one that ends', async () => {
    const { logs, untilTold } = await openRule('servers', { kind: 'session_quiet' });
    const [quiet, ended] = [makeServer(), makeServer()];
    await logs.call(reportSession, { query: quiet });
    await logs.call(reportSession, { query: ended });
    await logs.call(invalidateSession, { query: ended });
    service.clock.advance(61_000);
    const name = `${quiet.resourceName} (${quiet.endpoint})`;
    assert.deepEqual(describeTold(await untilTold(1)), [`rule.fired ${name} 1`]);
    await logs.call(reportSession, { query: quiet });
    assert.deepEqual(describeTold(await untilTold(2)), [`rule.fired ${name} 1`, `rule.resolved ${name} 0`]);
  });

  it('counts entries that come late when they come, and is resolved a window after the last', async () => {
    const asked = {
      kind: 'count',
      query: 'late',
      condition: { op: '>=', value: 2 },
      windowSeconds: 10,
    } as const;
    const { say, untilTold } = await openRule('late', asked);
    const sentAt = Date.now();
    await say(
      ...[3, 9].map(days => ({
        message: `late by ${days} days`,
        timestamp: service.clock.now() - days * dayMs,
      })),
    );
    const told = await untilTold(2);
    assert.deepEqual(describeTold(told), ['rule.fired null 2', 'rule.resolved null 0']);
    const [fired, resolved] = told.map(({ timestamp }) => Date.parse(timestamp));
    assert.ok(resolved! - fired! >= 10_000 && resolved! - sentAt >= 10_000, `${resolved! - fired!} ms`);
  });

  it('of new patterns tells each once, whenever it comes again', async () => {
    const { say, untilTold } = await openRule('news', { kind: 'new_pattern', windowSeconds: 10 });
    await say({ message: 'the oven is hot' });
    assert.equal((await untilTold(2)).length, 2);
    await say({ message: 'the oven is hot' }, { message: 'the cellar is dry' });
    const told = await untilTold(4);
    assert.deepEqual(
      told.map(({ type }) => type),
      ['rule.fired', 'rule.resolved', 'rule.fired', 'rule.resolved'],
    );
    assert.notEqual(told[0]!.data.value, told[2]!.data.value);
  });

  it('of issues tells new ones and those that come back, each once', async () => {
    const asked = { kind: 'issue', query: '"wreck"', windowSeconds: 10 } as const;
    const { params, say, untilTold } = await openRule('issues', asked);
    const leaks = { level: 'error', message: 'The wreck has 3 leaks' };
    const wind = { level: 'error', message: 'The wreck groans in the wind' };
    await say(leaks, wind, { message: 'The wreck is calm' });
    assert.deepEqual(describeReturns(await untilTold(4)), [false, false]);
    const { issues } = await owner.call(listIssues, { params, query: {} });
    const decide = (text: string, state: 'resolved' | 'ignored') => {
      const { pattern } = issues.find(({ sample }) => sample === text)!;
      return owner.call(decideIssue, { params: { ...params, pattern }, body: { state } });
    };
    await decide(leaks.message, 'resolved');
    await decide(wind.message, 'ignored');
    await say(leaks, wind);
    assert.deepEqual(describeReturns(await untilTold(6)), [false, false, true]);
    await say(leaks); // open by now, and known
    await decide(leaks.message, 'resolved');
    await say(leaks);
    assert.deepEqual(describeReturns(await untilTold(8)), [false, false, true, true]);
  });

  it('of issues tells nothing of words that are new in one that was merged and decided about', async () => {
    const { params, say, untilTold } = await openRule('merged', { kind: 'issue', windowSeconds: 10 });
    const words = 'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon maple'.split(' ');
    const fail = (word: string, level = 'error') => ({
      level,
      message: `Cannot load the sail ${word} of a wreck`,
    });
    await say(...words.map(word => fail(word, 'warn')));
    const { issues } = await owner.call(listIssues, { params, query: { warnings: true } });
    const { pattern, template } = issues.find(({ merged }) => merged)!;
    const decide = (state: 'resolved' | 'ignored') =>
      owner.call(decideIssue, { params: { ...params, pattern }, body: { state, template } });
    await decide('ignored');
    await say(fail('north'), { level: 'error', message: 'The sea is rough' });
    assert.deepEqual(describeReturns(await untilTold(2)), [false]);
    await decide('resolved');
    await say(fail('ocean'));
    const told = await untilTold(4);
    assert.deepEqual(describeReturns(told), [false, true]);
    assert.equal(told[2]!.data.value, template);
  });

  it('of issues tells errors that differ in words once', async () => {
    const { say, untilTold } = await openRule('wordy', { kind: 'issue', windowSeconds: 10 });
    const words = 'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon maple'.split(' ');
    const fail = (word: string) => ({ level: 'error', message: `Cannot load the sail ${word} of a wreck` });
    await say(...words.map(fail));
    await untilTold(2);
    await say(fail('north'), { level: 'error', message: 'The sea is rough' });
    const told = await untilTold(4);
    assert.deepEqual(describeReturns(told), [false, false]);
  });

  it('of which nothing comes fires after a whole window', async () => {
    const asked = { kind: 'count', condition: { op: '<', value: 1 }, windowSeconds: 10 } as const;
    const { say, untilTold } = await openRule('silent', asked);
    assert.deepEqual(describeTold(await untilTold(1)), ['rule.fired null 0']);
    await say({ message: 'somebody is there' });
    assert.equal((await untilTold(2))[1]!.type, 'rule.resolved');
  });
});
