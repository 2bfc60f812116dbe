/**
 * Kills the service at random moments, with writers running, while rules fire and resolve: each change is notified once. RULE_ROUNDS sets the
 * number of kills.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { findEngineProcess, startWriters, type WriterTarget } from '../support/logWriters.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess, tapedeck } from '../support/tapedeck.ts';

const rounds = Number(process.env.RULE_ROUNDS ?? 3);
const logsToken = 'logs-token-of-the-killed-rules-0';
const killedWithinMs = 3_000; // while entries arrive, are counted, and cause notifications
const patienceMs = 100_000; // for a busy machine; it takes some seconds
const entriesOfRound = 3;
/** A channel gets ten notifications a minute, two of each round; more would be combined. */
const roundMsMin = rounds > 4 ? 13_000 : 0;

type Notification = { type: string; data: { value: string } };

test('fires once and resolves once, whenever the service is killed', {
  timeout: 1_500_000,
}, async t => {
  await using directory = await makeDirectory();
  await using receiver = await startReceiver();
  const environment = {
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_LOGS_TOKEN: logsToken,
    TAPEDECK_OUTGOING_PRIVATE: 'true',
  };
  let service: ServiceProcess = await startProcess(environment);
  await using _last = { [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  const token = (await tapedeck(['token', 'create', '--kind', 'admin'], environment)).trim();
  const rule = await prepareRule({ url: service.url, token }, receiver.url);
  const target: WriterTarget = { url: service.url, token: logsToken };
  using writers = startWriters(target, { writers: 2, rowsMax: 40, pauseMs: 20 });
  /** Lists notifications by id, because one may be delivered twice. */
  const listNotifications = () => [
    ...new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body])).values(),
  ];
  const notifications = (value: string) =>
    listNotifications()
      .map(body => JSON.parse(body) as Notification) // the notifications package writes this shape
      .filter(({ data }) => data.value === value)
      .map(({ type }) => type);
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begunAt = performance.now();
    const sent = sendRound(target, `round ${round}`);
    for (const killAt = performance.now() + Math.random() * killedWithinMs; performance.now() < killAt; )
      await wait(5);
    await kill(service);
    service = await startProcess(environment);
    target.url = service.url;
    const since = Math.max(await sent, performance.now());
    await until(() => notifications(`round ${round}`).includes('rule.fired'), `round ${round} did not fire`);
    delays.push(performance.now() - since);
    await wait(Math.max(0, begunAt + roundMsMin - performance.now()));
  }
  for (let round = 0; round < rounds; round++)
    await until(() => notifications(`round ${round}`).length >= 2, `round ${round} was not resolved`);
  await writers.stop();
  for (let round = 0; round < rounds; round++)
    assert.deepEqual(
      notifications(`round ${round}`).toSorted(),
      ['rule.fired', 'rule.resolved'],
      `round ${round}`,
    );
  assert.equal(listNotifications().length, 2 * rounds);
  const { changes } = await request<{ changes: { kind: string; value: string }[] }>(
    { url: service.url, token },
    `/manage/projects/default/rules/${rule}/history?limit=100`,
  );
  assert.equal(new Set(changes.map(({ kind, value }) => `${kind} ${value}`)).size, changes.length);
  assert.equal(changes.length, 2 * rounds);
  const sorted = delays.toSorted((one, other) => one - other).map(Math.round);
  t.diagnostic(
    `notified after the restart: ${sorted[Math.floor(rounds / 2)]} ms (p50), ${sorted.at(-1)} ms (most)`,
  );
  t.diagnostic(`requests that reached the other side twice: ${receiver.received.length - 2 * rounds}`);
});

type Door = { url: string; token: string };

/** Makes a rule with a state for each round; returns its id. */
async function prepareRule(endpoint: Door, receiverUrl: string): Promise<string> {
  const { channel } = await request<{ channel: { id: string } }>(
    endpoint,
    '/manage/projects/default/channels',
    {
      name: 'Receiver',
      kind: 'webhook',
      target: receiverUrl,
    },
  );
  const { rule } = await request<{ rule: { id: string } }>(endpoint, '/manage/projects/default/rules', {
    name: 'rounds',
    kind: 'count',
    query: '"it burns"',
    by: 'metadata.round',
    condition: { op: '>=', value: entriesOfRound },
    windowSeconds: 60,
    channels: [channel.id],
  });
  return rule.id;
}

async function request<Answer>({ url, token }: Door, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${url}/api${path}`, {
    headers: { authorization: token, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  assert.equal(response.status, 200, answer);
  return JSON.parse(answer) as Answer; // the shape of the requested route
}

/** Sends entries one by one until each is acknowledged; resolves to the time of the last acknowledgement. */
async function sendRound(target: WriterTarget, round: string): Promise<number> {
  for (let number = 0; number < entriesOfRound; number++) {
    const body = JSON.stringify([{ level: 'error', message: `it burns ${number}`, metadata: { round } }]);
    const headers = {
      authorization: target.token,
      'content-type': 'application/json',
      'idempotency-key': `${round}/${number}`,
    };
    for (;;) {
      const response = await fetch(`${target.url}/api/v3/logs`, { method: 'POST', headers, body }).catch(
        () => null,
      );
      if (response?.status === 200) break;
      await wait(20);
    }
  }
  return performance.now();
}

async function kill(service: ServiceProcess): Promise<void> {
  const engine = await findEngineProcess(service.child.pid!);
  service.child.kill('SIGKILL');
  if (engine !== null) process.kill(engine, 'SIGKILL');
  await service.exit;
}

async function until(holds: () => boolean, complaint: string): Promise<void> {
  for (const deadline = performance.now() + patienceMs; !holds(); await wait(20))
    assert.ok(performance.now() < deadline, complaint);
}
