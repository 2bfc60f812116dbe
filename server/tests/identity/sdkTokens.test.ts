/** The token of a reporting session can write logs and do nothing else. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { listFiles } from '@tapedeck/contract/files';
import { queryLogs } from '@tapedeck/contract/logs';
import { listSessions, reportSession } from '@tapedeck/contract/sdk';
import { createToken } from '@tapedeck/contract/tokens';
import { withToken } from '../support/client.ts';
import { makeServer, openReportingClient } from '../support/reporters.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook, summarise } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { addReporter, sendEntry } = await openReportingClient(service);
const params = { project: 'default' };

describe('an SDK token', () => {
  it('stores entries', async () => {
    const book = await openLogBook(service);
    const { token } = await (await addReporter()).call(reportSession, { query: makeServer() });
    const dataset = book.newDataset();
    const headers = { authorization: token, 'content-type': 'application/json', 'x-brand-dataset': dataset };
    const bodies: readonly [string, string][] = [
      ['/api/v3/logs', '[{"level":"info","message":"V3"}]'],
      ['/api/v3/logs/chat', '{"content":"chat"}'],
    ];
    for (const [path, body] of bodies) {
      assert.equal((await service.fetch(path, { method: 'POST', headers, body })).status, 200);
    }
    assert.deepEqual((await book.read(dataset)).map(summarise), ['info: V3', 'info: chat']);
  });

  it('allows nothing else', async () => {
    const { token } = await (await addReporter()).call(reportSession, { query: makeServer() });
    const session = withToken(service, token);
    assert.equal(await session.refuse(queryLogs), '403 wrong_token_kind');
    assert.equal(await session.refuse(listFiles), '403 wrong_token_kind');
    assert.equal(await session.refuse(reportSession, { query: makeServer() }), '403 wrong_token_kind');
    assert.equal(
      await session.refuse(createToken, { params, body: { kind: 'logs' } }),
      '403 wrong_token_kind',
    );
    assert.equal(await session.refuse(listSessions, { params }), '403 wrong_token_kind');
    for (const path of ['/api/v3/file', '/api/v3/file/base64', '/api/v3/file/presigned-url']) {
      const method = path.endsWith('url') ? 'GET' : 'POST';
      const response = await service.fetch(path, { method, headers: { authorization: token } });
      assert.equal(response.status, 403, path);
    }
  });

  it('cannot write to a dataset that is closed to its reporter', async () => {
    const reporter = await addReporter({ kind: 'logs', scopes: ['write', 'dataset:game'] });
    const { token } = await reporter.call(reportSession, { query: makeServer() });
    assert.equal(await sendEntry(token), '403 scope_missing');
  });

  it('that is invented is unknown', async () => {
    const { token } = await (await addReporter()).call(reportSession, { query: makeServer() });
    const forged = token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
    assert.equal(await sendEntry(forged), '401 token_unknown');
  });

  it('cannot be found in the database', async () => {
    const { token } = await (await addReporter()).call(reportSession, { query: makeServer() });
    const files = await Promise.all(
      ['tapedeck.db', 'tapedeck.db-wal'].map(name => readFile(`${service.dataDir}/${name}`, 'latin1')),
    );
    assert.ok(files.join('').includes(token.slice(0, 20)), 'the row has been written');
    assert.ok(!files.join('').includes(token));
  });
});
