/** Logs and sessions as widely used clients send them: each works with only the base URL changed. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Headers, hopesForHttp2, makeSender, readJson } from '../support/fieldRequests.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook, summarise } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const book = await openLogBook(service);
const { send, sendInChunks, take } = makeSender(service);
const one = '[{"level":"info","message":"m"}]';

/** Stores entries in a new dataset and reads them back. */
async function sendEntries(path: string, headers: Headers, body: string): Promise<string[]> {
  const dataset = book.newDataset();
  const usual = { 'Content-Type': 'application/json', Authorization: book.token, 'X-Brand-Dataset': dataset };
  await take(`POST ${path}`, { ...usual, ...headers }, body);
  return (await book.read(dataset)).map(summarise);
}

describe('logs', () => {
  it('a game server sends an empty table and a resource of null', async () => {
    const body = '[{"level":"info","message":"m","metadata":[],"resource":null}]';
    assert.deepEqual(await sendEntries('/api/v3/logs', {}, body), ['info: m']);
  });

  it('a logging library sends extra fields of an entry', async () => {
    const body =
      '[{"level":"warn","message":"lag","resource":"bank","metadata":{"playerSource":7,"_playerIdentifiers":{"license":"license:1"}},"datasetId":"x","timestamp":"2026-01-01T00:00:00Z"}]';
    assert.deepEqual(await sendEntries('/api/v3/logs', {}, body), ['warn: lag']);
  });

  const careless = [
    '',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
  ];
  for (const type of careless) {
    it(`a script sends JSON declared as "${type}"`, async () => {
      assert.deepEqual(await sendEntries('/api/v3/logs', { 'Content-Type': type }, one), ['info: m']);
    });
  }

  it('a page that is closed sends a beacon, which is text with a token in the query', async () => {
    const dataset = book.newDataset();
    const path = `/api/v3/logs?apiKey=${book.token}&dataset=${dataset}`;
    const beacon = { Origin: 'https://nui-phone', 'Content-Type': 'text/plain;charset=UTF-8' };
    await take(`POST ${path}`, beacon, one);
    assert.deepEqual((await book.read(dataset)).map(summarise), ['info: m']);
  });

  it('a program sends its entries in chunks and offers HTTP/2', async () => {
    const dataset = book.newDataset();
    const headers = { ...hopesForHttp2, Authorization: `Bearer ${book.token}`, 'X-Brand-Dataset': dataset };
    readJson(
      await sendInChunks('POST /api/v3/logs/', { ...headers, 'Content-Type': 'application/json' }, one),
    );
    assert.deepEqual((await book.read(dataset)).map(summarise), ['info: m']);
  });

  it('rejects text that is not JSON', async () => {
    for (const type of ['text/csv', 'multipart/form-data; boundary=x', 'application/xml']) {
      const { status } = await send(
        'POST /api/v3/logs',
        { Authorization: book.token, 'Content-Type': type },
        one,
      );
      assert.equal(status, 415, type);
    }
  });
});

describe('game-server SDKs', () => {
  const identities = {
    'a server of the type fivem': 'sdkType=fivem&endpoint=https://a-b.users.example/&resourceName=sdk',
    'a server of the type roblox': 'sdkType=roblox&universeId=123&jobId=5a0e',
  };
  for (const [name, identity] of Object.entries(identities)) {
    it(`${name} reports, logs, sends heartbeats and ends`, async () => {
      const headers = { Authorization: book.token, 'Content-Type': 'application/json' };
      const { token, expiresAt } = await take(`POST /api/sdk/report?${identity}`, headers, '{}');
      assert.match(String(expiresAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const own = { Authorization: String(token) };
      assert.deepEqual(await sendEntries('/api/v3/logs', own, one), ['info: m']);
      const beat = await take('POST /api/sdk/heartbeat', {
        ...own,
        'Content-Type': 'application/json',
        'Content-Length': 0,
      });
      assert.equal(beat.status, 'ok');
      assert.equal(await take(`POST /api/sdk/invalidate?${identity}`, own), 'SDK resource invalidated.');
    });

    it(`${name} has only its media token, ends its earlier session, and sends no body`, async () => {
      const { token } = await addToken(await addPerson(service, { isOwner: true }));
      const headers = { Authorization: token };
      const ended = await take(`POST /api/sdk/invalidate?${identity}`, headers);
      assert.equal(ended, 'SDK resource invalidated.');
      await take(`POST /api/sdk/report?${identity}`, headers);
      assert.equal((await take(`POST /api/sdk/heartbeat?${identity}`, headers)).status, 'ok');
    });
  }

  it('returns an error to a server that does not know its address', async () => {
    const { status, body } = await send('POST /api/sdk/report?sdkType=fivem&endpoint=&resourceName=sdk', {
      Authorization: book.token,
    });
    assert.equal(status, 400);
    assert.match(JSON.parse(body).error, /endpoint/);
  });
});
