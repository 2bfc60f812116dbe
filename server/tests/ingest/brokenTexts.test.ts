/** Tests texts with bytes that are not UTF-8: programs write them into their logs, and games cut names inside a character. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../support/service.ts';

const token = 'logs-token-of-the-tests-0123456789';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());

const json = 'application/json';
/** `é` in Latin-1 is no UTF-8. */
const rows: readonly [path: string, type: string, body: string, status: number][] = [
  ['/api/logs', json, '{"message":"caf\xe9","level":"warn"}', 200],
  ['/api/logs/batch', json, '[{"message":"before"},{"message":"caf\xe9"}]', 200],
  ['/api/v3/logs/lines', 'text/plain', 'before\ncaf\xe9\n', 200],
  ['/api/v3/logs/lines', json, '[{"msg":"before"},{"msg":"caf\xe9"}]', 200],
  ['/services/collector/raw', 'text/plain', 'before\ncaf\xe9\n', 200],
  ['/api/v2/logs', 'text/plain', 'before\ncaf\xe9\n', 202],
  ['/_bulk', 'application/x-ndjson', '{"create":{"_index":"DATASET"}}\n{"message":"caf\xe9"}\n', 200],
  ['/api/v3/logs', json, '[{"level":"info","message":"caf\xe9"}]', 400],
];

rows.forEach(([path, type, body, status], index) => {
  test(`${path} as ${type} answers ${status}${status === 400 ? '' : ' and replaces the byte'}`, async () => {
    const dataset = `broken-${index}`;
    const answer = await service.fetch(`${path}?dataset=${dataset}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': type },
      body: Buffer.from(body.replace('DATASET', dataset), 'latin1'),
    });
    assert.equal(answer.status, status, await answer.text());
    const read = await service.fetch(`/api/v3/logs?dataset=${dataset}`, {
      headers: { authorization: token },
    });
    const { data } = (await read.json()) as { data: { body: string }[] }; // CONTRACT.md, 4.2
    const bodies = data.map(entry => entry.body).filter(text => text !== 'before');
    assert.deepEqual(bodies, status === 400 ? [] : ['caf\ufffd']);
  });
});
