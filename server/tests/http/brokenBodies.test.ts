/** Clients that disconnect in the middle of a body, on every route with a body: none causes a server error. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { reportSession } from '@tapedeck/contract/sdk';
import { routes } from '../../src/http/routes.ts';
import { composePath, withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { compose } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const tokens = {
  media: (await addToken(owner, { kind: 'media' })).token,
  logs: (await addToken(owner, { kind: 'logs' })).token,
};
const query = { sdkType: 'server_b', universeId: '1', jobId: '2' };
const { token: sdk } = await withToken(service, tokens.logs).call(reportSession, { query });

type Route = (typeof routes)[number];

function credentialsFor({ access }: Route): Record<string, string> {
  if (access.by === 'anyone') return {};
  if (access.by !== 'token') return { Cookie: `tapedeck_session=${owner.cookie}` };
  if (access.kinds.includes('media')) return { Authorization: tokens.media };
  return { Authorization: access.kinds.includes('logs') ? tokens.logs : sdk };
}

/** Sends half a body and disconnects. */
async function breakOff(route: Route, type: string, isChunked: boolean): Promise<void> {
  const usual = { project: 'default', user: 'x'.repeat(20), session: 'x', webhook: '1', version: '10' };
  const params = { ...usual, token: tokens.logs, file: 'x', key: 'x', view: 'x', dataset: 'default' };
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  const headers = {
    ...credentialsFor(route),
    'Content-Type': type,
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': 100 }),
  };
  const head = compose(`${route.method} ${composePath(route, { params })}`, headers);
  socket.write(`${head}${isChunked ? '5\r\n[{"le' : '[{"le'}`, () => socket.destroy());
  await closed;
}

/** Reads from the metrics the requests that failed with a server error. */
async function countServerErrors(): Promise<string[]> {
  const text = await (await service.fetch('/metrics')).text();
  return text.split('\n').filter(line => /status="5\d\d"/.test(line) && !line.endsWith(' 0'));
}

it('none of this is logged or counted as a failure of the service', async () => {
  for (const route of routes.filter(({ body, stream }) => body !== undefined || stream !== undefined)) {
    const types = route.stream ? Object.keys(route.stream) : ['application/json'];
    for (const type of types) {
      const declared = type === 'multipart/form-data' ? `${type}; boundary=x` : type;
      for (const isChunked of [false, true]) await breakOff(route, declared, isChunked);
    }
  }
  const deadline = performance.now() + 500; // late log lines would arrive by then
  while (performance.now() < deadline) {
    assert.deepEqual(
      service.logged.filter(line => /"level":[56]0/.test(line)),
      [],
    );
    await wait(25);
  }
  assert.deepEqual(await countServerErrors(), []);
});
