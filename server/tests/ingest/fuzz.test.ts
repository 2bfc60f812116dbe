/**
 * Sends randomly broken requests to other protocols' routes. Each gets a response in the protocol's format, never a server error; a refused
 * request stores nothing, an accepted one is found; and other requests are served meanwhile. `REQUESTS=10000` tries more for each route, and
 * `SEED` repeats a run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import {
  mutateBytes,
  mutateHead,
  packBody,
  packSnappy,
  spellWire,
  throwDice,
  type Wire,
} from '../support/bodyMutations.ts';
import { requireShortHolds } from '../support/eventLoop.ts';
import { type FuzzedProtocol, fuzzedProtocols, unpackBody } from '../support/fuzzedProtocols.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { type RawAnswer, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const requests = Number(process.env.REQUESTS ?? 100);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const atOnce = 50;
const engineMsMax = 30_000;

const service = await startTestService({ timeouts: { bodyIdleMsMax: 2_000 } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner, { kind: 'logs' });
const { token: mediaToken } = await addToken(owner, { kind: 'media' });
const { token: webhookToken } = await addToken(owner, { kind: 'webhook' });
const { token: narrowToken } = await addToken(owner, { kind: 'logs', scopes: ['write', 'dataset:shown'] });
const { token: otherToken } = await addToken(owner, {
  kind: 'logs',
  project: await addProject(owner, 'other'),
});

const authorizations = [
  token,
  `Bearer ${token}`,
  `Basic ${btoa(`x:${token}`)}`,
  `ApiKey ${btoa(`id:${token}`)}`,
  `ApiKey ${token}`,
  `Splunk ${token}`,
  `Token ${token}`,
  'Basic',
  'Basic !',
  'ApiKey =',
  'Splunk',
  'Bearer',
  '',
  'no',
  mediaToken,
  webhookToken,
  `Splunk ${narrowToken}`,
];

type Case = { number: number; wire: Wire; type: string; encoding: string | null };

function makeCase(protocol: FuzzedProtocol, number: number): Case {
  const dice = throwDice(seed + number * 7919);
  const sent = dice.pick(protocol.seeds);
  const bodies = protocol.seeds.map(({ body }) => body);
  const shaped = dice.once(4) && !sent.isSnappy ? makeShaped(protocol, number) : null;
  const plain = shaped ?? mutateBytes(sent.body, dice, bodies);
  const { bytes, encoding } = packBody(sent.isSnappy ? packSnappy(plain, dice) : plain, dice);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': sent.type,
    ...(encoding !== null && { 'content-encoding': encoding }),
  };
  const head = mutateHead({ method: 'POST', path: sent.path, headers }, dice, authorizations);
  return { number, wire: spellWire(head, bytes, dice), type: head.headers['content-type'] ?? '', encoding };
}

function makeShaped({ shaped }: FuzzedProtocol, number: number): Buffer {
  const [value] = fc.sample(shaped, { seed: seed + number, numRuns: 1 });
  if (typeof value === 'string') return Buffer.from(value);
  const lines = Array.isArray(value) && number % 2 === 0 ? value : [value];
  return Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''));
}

/** Returns how many entries the service stored, according to its response. */
async function sendCase(protocol: FuzzedProtocol, { number, wire, type, encoding }: Case): Promise<number> {
  const hangsUp = wire.delivered === null;
  const { answers, end } = await talk(service.url, [wire.bytes], { answersMax: 1, hangsUp });
  const [answer] = answers;
  const place = `${protocol.name}, case ${number} of SEED=${seed}: ${wire.bytes.toString('latin1').slice(0, 3000)}`;
  if (answer === undefined) {
    assert.ok(hangsUp && end !== 'open', `no response, ${end}: ${place}`);
    return 0;
  }
  const shown = `${answer.status} ${answer.body.slice(0, 500)}\n${place}`;
  assert.ok(answer.status < 500, shown);
  if (answer.status >= 300) {
    assert.ok(isInForm(protocol, answer), shown);
    return 0;
  }
  if (wire.bytes.toString('latin1', 0, 7) === 'OPTIONS') return 0;
  assert.ok(wire.delivered, `accepted without its end: ${shown}`);
  try {
    return protocol.countTaken(unpackBody(wire.delivered, encoding), answer, type);
  } catch (error) {
    throw new Error(`accepted, but no such body: ${shown}`, { cause: error });
  }
}

/** Unknown paths and unreadable requests get the service's own format. */
function isInForm({ name, readError }: FuzzedProtocol, { status, body, headers }: RawAnswer): boolean {
  // On a shared path, a body may be read as the other protocol's.
  if (name === 'OTLP' && body.startsWith('{"success":false,"message":"')) return true;
  const isSpelled = headers['x-error-code'] !== undefined;
  if (isSpelled || name === 'lines') return Boolean(readError(body, headers['content-type'] ?? ''));
  return (
    [400, 404, 405, 408, 413, 414, 417, 431].includes(status) && typeof JSON.parse(body).code === 'string'
  );
}

/** Retries while the engine is still starting on a busy machine. */
async function countStored(by: string): Promise<number> {
  for (const deadline = performance.now() + engineMsMax; ; await wait(100)) {
    const answer = await service.fetch('/api/v3/logs?dataset=*&limit=1&includeTotal=true', {
      headers: { authorization: by },
    });
    const text = await answer.text();
    if (answer.status === 503 && performance.now() < deadline) continue;
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { pagination: { total: number } }).pagination.total; // the contract's shape
  }
}

async function requireOthersServed(): Promise<void> {
  const headers = { authorization: otherToken, 'content-type': 'application/json' };
  const body = '[{"level":"info","message":"other"}]';
  const answer = await service.fetch('/api/v3/logs', { method: 'POST', headers, body });
  assert.equal(answer.status, 200, await answer.text());
}

let taken = 0;
let served = 0;
for (const protocol of fuzzedProtocols) {
  test(`${protocol.name}: ${requests} malformed requests, SEED=${seed}`, {
    timeout: requests * 1000,
  }, async () => {
    for (let first = 0; first < requests; first += atOnce) {
      const count = Math.min(atOnce, requests - first);
      const cases = Array.from({ length: count }, (_, index) => makeCase(protocol, first + index));
      await requireShortHolds(async () => {
        const counts = await Promise.all([
          ...cases.map(each => sendCase(protocol, each)),
          requireOthersServed(),
        ]);
        taken += counts.reduce<number>((sum, each) => sum + (each ?? 0), 0);
        served++;
      });
      assert.equal(
        await countStored(token),
        taken,
        `of ${protocol.name}, cases from ${first} of SEED=${seed}`,
      );
    }
    assert.equal(await countStored(otherToken), served);
    const complaints = service.logged.filter(line => (JSON.parse(line) as { level: number }).level >= 50);
    assert.deepEqual(complaints, []);
  });
}
