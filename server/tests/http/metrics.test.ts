/** Routes for machines: health, readiness and metrics, and who may read the metrics. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { createChannel, updateChannel } from '@tapedeck/contract/channels';
import { getHealth, getMetrics, getReadiness } from '@tapedeck/contract/system';
import { revokeToken } from '@tapedeck/contract/tokens';
import { describeRefusal, makeClient } from '../support/client.ts';
import { leaveDeliveries, untilDeliveries } from '../support/outboxRows.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeDirectory, startQuietService, startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const service = await startQuietService({ environment: { TAPEDECK_HOST: '0.0.0.0' } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const visitor = makeClient(service);

test('reports that the process is up, and that its stores respond', async () => {
  assert.deepEqual(await visitor.call(getHealth), { status: 'ok' });
  const { checks } = await visitor.call(getReadiness);
  assert.equal(checks.database, 'ok');
  assert.ok(Object.values(checks).every(check => check === 'ok'));
});

test('reports the limit of the journal, and that nothing is damaged', async () => {
  const text = await (await service.fetch(getMetrics.path)).text();
  assert.match(text, /^tapedeck_log_journal_damaged_segments 0$/m);
  assert.match(text, /^tapedeck_log_journal_max_bytes [1-9]\d+$/m);
  assert.match(text, /^# TYPE tapedeck_log_journal_failures_total counter$/m);
  // The previous version's metric names stay for one more version.
  assert.match(text, /^# HELP tapedeck_log_journal Deprecated/m);
  assert.match(text, /^tapedeck_log_journal\{what="damaged"\} 0$/m);
  assert.match(text, /^tapedeck_log_journal\{what="bytes_max"\} [1-9]\d+$/m);
});

describe('metrics are open to local requests, and to admin tokens from elsewhere', async () => {
  const tokens = {
    admin: (await addToken(owner, { kind: 'admin' })).token,
    media: (await addToken(owner, { kind: 'media' })).token,
  };
  const revoked = await addToken(owner, { kind: 'admin' });
  await owner.call(revokeToken, { params: { project: 'default', token: revoked.id } });
  const expiresAt = new Date(service.clock.now() + 1000).toISOString();
  const expired = await addToken(owner, { kind: 'admin', expiresAt });
  service.clock.advance(1000);
  const forwarded = { 'x-forwarded-for': '198.51.100.7' };
  const rows: [string, Record<string, string>, string][] = [
    ['from this machine', {}, '200'],
    ['through a proxy on this machine', forwarded, '401 token_missing'],
    [
      'through a proxy that forwards for this machine',
      { 'x-forwarded-for': '127.0.0.1' },
      '401 token_missing',
    ],
    ['through a proxy with the Forwarded header', { forwarded: 'for=198.51.100.7' }, '401 token_missing'],
    ['through a proxy with another header', { 'x-real-ip': '198.51.100.7' }, '401 token_missing'],
    ['with an admin token', { ...forwarded, authorization: tokens.admin }, '200'],
    ['with an admin token after Bearer', { ...forwarded, authorization: `Bearer ${tokens.admin}` }, '200'],
    ['with a media token', { ...forwarded, authorization: tokens.media }, '403 wrong_token_kind'],
    ['with a revoked token', { ...forwarded, authorization: revoked.token }, '401 token_revoked'],
    ['with an expired token', { ...forwarded, authorization: expired.token }, '401 token_expired'],
    ['with an unknown token', { ...forwarded, authorization: 'x'.repeat(32) }, '401 token_unknown'],
    ['with a session', { ...forwarded, cookie: `tapedeck_session=${owner.cookie}` }, '401 token_missing'],
  ];
  for (const [name, headers, expected] of rows) {
    it(`${name}: ${expected}`, async () => {
      const response = await service.fetch(getMetrics.path, { headers });
      const outcome = response.status === 200 ? '200' : await describeRefusal(response);
      assert.equal(outcome, expected);
    });
  }

  it('from another address of this machine: 401', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap(addresses => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    // A machine without a network has no other address to connect from.
    if (outside === undefined) return;
    const { port } = new URL(service.url);
    const response = await fetch(`http://${outside.address}:${port}${getMetrics.path}`);
    assert.equal(await describeRefusal(response), '401 token_missing');
  });
});

test('metrics are Prometheus text with counts by route, never by URL', async () => {
  const { token } = await addToken(owner);
  await service.fetch(`/api/v3/token?apiKey=${token}`, { headers: { authorization: token } });
  await service.fetch('/nope/one');
  await service.fetch('/nope/two');
  await service.fetch('/api/manage/users/no', { headers: { cookie: `tapedeck_session=${owner.cookie}` } });
  const response = await service.fetch(getMetrics.path);
  assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  for (const line of text.split('\n').filter(Boolean)) {
    assert.match(line, /^(?:#.*|[a-zA-Z_:][\w:]*(?:\{[^}]*\})? \S+)$/);
  }
  assert.match(text, /tapedeck_http_requests_total\{method="GET",route="\/api\/v3\/token",status="200"\} 1/);
  assert.match(text, /tapedeck_http_requests_total\{method="GET",route="unknown",status="404"\} 2/);
  assert.match(text, /route="\/api\/manage\/users\/:user",status="404"/);
  assert.match(text, /tapedeck_info\{version="\d+\.\d+\.\d+"\} 1/);
  assert.ok(!text.includes(token) && !text.includes('/nope'));
});

test('reports when the last backup ended, and no number without one', async () => {
  await using saved = await startTestService();
  await using place = await makeDirectory();
  const read = async () => {
    const text = await (await saved.fetch(getMetrics.path)).text();
    return /^tapedeck_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1];
  };
  assert.equal(await read(), undefined);
  await tapedeck(['backup', path.join(place.path, 'backup')], { TAPEDECK_DATA_DIR: saved.dataDir });
  assert.ok(Math.abs(Number(await read()) - Date.now() / 1000) < 60);
});

test('counts pending notifications with their age, and failures', async () => {
  await using notifying = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  await using receiver = await startReceiver();
  const person = await addPerson(notifying, { isOwner: true });
  receiver.plan({ status: 404 }, { status: 503 });
  const body = { name: 'counted', kind: 'webhook', target: receiver.url } as const;
  const place = { params: { project: 'default' } };
  const { channel } = await person.call(createChannel, { ...place, body });
  const { id } = channel;
  await leaveDeliveries(notifying, { channel: id, rule: 'refused' }, { channel: id, rule: 'waiting' });
  await untilDeliveries(person, id, all => [...all.values()].every(({ attempts }) => attempts.length === 1));
  notifying.clock.advance(2_000);
  const read = async () => {
    const text = await (await notifying.fetch(getMetrics.path)).text();
    return (name: string) => Number(new RegExp(`^tapedeck_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const before = await read();
  assert.deepEqual(
    [before('deliveries_waiting'), before('deliveries_failed'), before('channels_off')],
    [1, 1, 0],
  );
  assert.ok(before('deliveries_oldest_seconds') >= 2);
  const off = { params: { ...place.params, channel: id }, body: { enabled: false } };
  await person.call(updateChannel, off);
  const after = await read();
  const shown = ['deliveries_waiting', 'deliveries_oldest_seconds', 'channels_off'].map(after);
  assert.deepEqual(shown, [0, 0, 1]);
});

test('reports the free disk space for each folder of the data directory', async () => {
  const text = await (await service.fetch(getMetrics.path)).text();
  for (const store of ['data', 'media', 'logs']) {
    for (const name of ['free_bytes', 'total_bytes'])
      assert.match(text, new RegExp(`^tapedeck_disk_${name}\\{store="${store}"\\} [1-9]`, 'm'));
  }
});
