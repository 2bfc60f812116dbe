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

type Notification = {
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
      .map(({ body: text }) => JSON.parse(text) as Notification & { data: { project: string } }) // the notifications package writes this shape
      .filter(({ data }) => data.project === project);
  return {
    params,
    logs,
    rule: { ...params, rule: rule.id },
    say: (...entries: { level?: string; message: string; timestamp?: number }[]) =>
      logs.call(ingestLogs, { body: entries.map(entry => ({ level: 'info', ...entry })) as never }),
    untilNotified: async (count: number): Promise<Notification[]> => {
      while (list().length < count) await receiver.wait(receiver.received.length + 1);
      return list();
    },
    read: async () => (await owner.call(contract.getRule, { params: { ...params, rule: rule.id } })).rule,
  };
}

const describeNotifications = (notifications: readonly Notification[]) =>
  notifications.map(({ type, data: { value, count } }) => `${type} ${value} ${count}`);

/** Tells for each notification of a firing rule whether the issue had been resolved before. */
const describeReturns = (notifications: readonly Notification[]) =>
  notifications.filter(({ type }) => type === 'rule.fired').map(({ data }) => data.returned);

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + patienceMs; !(await holds()); await wait(50))
    assert.ok(performance.now() < deadline, 'the condition was not met in time');
}

describe('a rule', { concurrency: true }, () => {
  it('for storage fires per quota, and is resolved when there is space again', async () => {
    const ruleBody = { kind: 'storage', condition: { value: 50 } } as const;
    const { params, read, untilNotified } = await openRule('filling', ruleBody);
    await until(async () => (await read()).trouble?.includes('no quota') === true);
    await owner.call(updateProject, { params, body: { filesMax: 4, bytesMax: 3 * picture.length } });
    await until(async () => (await read()).trouble === null);
    const { token } = await addToken(owner, { kind: 'media', ...params });
    const upload = () => uploadFile(service, picture, {}, { token });
    const first = await upload();
    await upload();
    const [, ...notifications] = await untilNotified(3);
    assert.deepEqual(describeNotifications(notifications).toSorted(), [
      'rule.fired bytes 66',
      'rule.fired files 50',
    ]);
    await withToken(service, token).call(deleteFile, { params: { file: first.id } });
    const [, , , ...resolved] = await untilNotified(5);
    assert.deepEqual(describeNotifications(resolved).toSorted(), [
      'rule.resolved bytes 33',
      'rule.resolved files 25',
    ]);
  });

  it('for quiet sessions fires for a server that expires, not for one that ends', async () => {
    const { logs, untilNotified } = await openRule('servers', { kind: 'session_quiet' });
    const [quiet, ended] = [makeServer(), makeServer()];
    await logs.call(reportSession, { query: quiet });
    await logs.call(reportSession, { query: ended });
    await logs.call(invalidateSession, { query: ended });
    service.clock.advance(61_000);
    const name = `${quiet.resourceName} (${quiet.endpoint})`;
    assert.deepEqual(describeNotifications(await untilNotified(1)), [`rule.fired ${name} 1`]);
    await logs.call(reportSession, { query: quiet });
    assert.deepEqual(describeNotifications(await untilNotified(2)), [
      `rule.fired ${name} 1`,
      `rule.resolved ${name} 0`,
    ]);
  });

  it('counts late entries on arrival, and is resolved one window after the last', async () => {
    const ruleBody = {
      kind: 'count',
      query: 'late',
      condition: { op: '>=', value: 2 },
      windowSeconds: 10,
    } as const;
    const { say, untilNotified } = await openRule('late', ruleBody);
    const sentAt = Date.now();
    await say(
      ...[3, 9].map(days => ({
        message: `late by ${days} days`,
        timestamp: service.clock.now() - days * dayMs,
      })),
    );
    const notifications = await untilNotified(2);
    assert.deepEqual(describeNotifications(notifications), ['rule.fired null 2', 'rule.resolved null 0']);
    const [fired, resolved] = notifications.map(({ timestamp }) => Date.parse(timestamp));
    assert.ok(resolved! - fired! >= 10_000 && resolved! - sentAt >= 10_000, `${resolved! - fired!} ms`);
  });

  it('for new patterns reports each one once, however often it recurs', async () => {
    const { say, untilNotified } = await openRule('news', { kind: 'new_pattern', windowSeconds: 10 });
    await say({ message: 'the oven is hot' });
    assert.equal((await untilNotified(2)).length, 2);
    await say({ message: 'the oven is hot' }, { message: 'the cellar is dry' });
    const notifications = await untilNotified(4);
    assert.deepEqual(
      notifications.map(({ type }) => type),
      ['rule.fired', 'rule.resolved', 'rule.fired', 'rule.resolved'],
    );
    assert.notEqual(notifications[0]!.data.value, notifications[2]!.data.value);
  });

  it('for issues reports each new and each regressed one once', async () => {
    const ruleBody = { kind: 'issue', query: '"wreck"', windowSeconds: 10 } as const;
    const { params, say, untilNotified } = await openRule('issues', ruleBody);
    const leaks = { level: 'error', message: 'The wreck has 3 leaks' };
    const wind = { level: 'error', message: 'The wreck groans in the wind' };
    await say(leaks, wind, { message: 'The wreck is calm' });
    assert.deepEqual(describeReturns(await untilNotified(4)), [false, false]);
    const { issues } = await owner.call(listIssues, { params, query: {} });
    const decide = (text: string, state: 'resolved' | 'ignored') => {
      const { pattern } = issues.find(({ sample }) => sample === text)!;
      return owner.call(decideIssue, { params: { ...params, pattern }, body: { state } });
    };
    await decide(leaks.message, 'resolved');
    await decide(wind.message, 'ignored');
    await say(leaks, wind);
    assert.deepEqual(describeReturns(await untilNotified(6)), [false, false, true]);
    await say(leaks); // open by now, and known
    await decide(leaks.message, 'resolved');
    await say(leaks);
    assert.deepEqual(describeReturns(await untilNotified(8)), [false, false, true, true]);
  });

  it('for issues does not report new wording in an issue that was merged and triaged', async () => {
    const { params, say, untilNotified } = await openRule('merged', { kind: 'issue', windowSeconds: 10 });
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
    assert.deepEqual(describeReturns(await untilNotified(2)), [false]);
    await decide('resolved');
    await say(fail('ocean'));
    const notifications = await untilNotified(4);
    assert.deepEqual(describeReturns(notifications), [false, true]);
    assert.equal(notifications[2]!.data.value, template);
  });

  it('for issues reports errors that differ only in wording once', async () => {
    const { say, untilNotified } = await openRule('wordy', { kind: 'issue', windowSeconds: 10 });
    const words = 'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon maple'.split(' ');
    const fail = (word: string) => ({ level: 'error', message: `Cannot load the sail ${word} of a wreck` });
    await say(...words.map(fail));
    await untilNotified(2);
    await say(fail('north'), { level: 'error', message: 'The sea is rough' });
    const notifications = await untilNotified(4);
    assert.deepEqual(describeReturns(notifications), [false, false]);
  });

  it('for missing entries fires after a whole window', async () => {
    const ruleBody = { kind: 'count', condition: { op: '<', value: 1 }, windowSeconds: 10 } as const;
    const { say, untilNotified } = await openRule('silent', ruleBody);
    assert.deepEqual(describeNotifications(await untilNotified(1)), ['rule.fired null 0']);
    await say({ message: 'somebody is there' });
    assert.equal((await untilNotified(2))[1]!.type, 'rule.resolved');
  });
});
