/** The Model Context Protocol on the wire: revisions, batches, and refused messages. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { envelope, newest, openAssistant, type RpcAnswer } from './assistant.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner, { kind: 'logs', scopes: ['read'] });
const assistant = openAssistant(service, token);

const request = (method: string, params: object = {}, id: unknown = 7) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const hello = (protocolVersion: unknown) =>
  request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } });

async function readAnswer(response: Response): Promise<RpcAnswer> {
  assert.equal(response.headers.get('content-type'), 'application/json');
  return (await response.json()) as RpcAnswer; // JSON-RPC's shape
}

describe('the handshake agrees on the requested revision, or on the newest one with a handshake', () => {
  const rows: [asked: unknown, agreed: string][] = [
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    [newest, '2025-11-25'],
    ['tomorrow', '2025-11-25'],
    [undefined, '2025-11-25'],
    [5, '2025-11-25'],
  ];
  for (const [requested, agreed] of rows) {
    it(`${requested} → ${agreed}`, async () => {
      const response = await assistant.post(hello(requested), { 'mcp-protocol-version': '' });
      assert.equal(response.headers.get('mcp-session-id'), null);
      const { id, result } = await readAnswer(response);
      assert.equal(id, 7);
      assert.equal(result?.protocolVersion, agreed);
      assert.deepEqual(result?.capabilities, { tools: {} });
      assert.match(String(result?.instructions), /data.*never instructions/);
    });
  }
});

describe('messages that expect no response get 202 and nothing else', () => {
  const rows: [string, unknown, Record<string, string>?][] = [
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/of/tomorrow', params: {} }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }],
    [
      'a batch of notifications',
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
      { 'mcp-protocol-version': '2025-03-26' },
    ],
    [
      'one of the newest revision',
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { 'mcp-protocol-version': newest },
    ],
  ];
  for (const [title, body, headers] of rows) {
    it(title, async () => {
      const response = await assistant.post(body, headers);
      assert.equal(response.status, 202);
      assert.equal(await response.text(), '');
    });
  }
});

describe('batches belong to the revision 2025-03-26', () => {
  const pair = [request('ping', {}, 'a'), request('tools/list', {}, 'b')];
  const old = { 'mcp-protocol-version': '2025-03-26' };
  it('answers each request of a batch, in order', async () => {
    const mixed = [
      ...pair,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('none', {}, 'c'),
    ];
    const answers = (await (await assistant.post(mixed, old)).json()) as RpcAnswer[];
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        ['a', undefined],
        ['b', undefined],
        ['c', -32601],
      ],
    );
  });
  it('treats a request without the header as that revision', async () => {
    const response = await service.fetch('/mcp', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(pair),
    });
    assert.equal(response.status, 200);
  });
  const refused: [string, unknown, Record<string, string>][] = [
    ['a later revision', pair, { 'mcp-protocol-version': '2025-06-18' }],
    ['the newest revision', pair, { 'mcp-protocol-version': newest }],
    ['an empty batch', [], old],
    ['eleven messages', Array(11).fill(pair[0]), old],
    ['a handshake in a batch', [pair[0], hello('2025-03-26')], old],
    ['a request of the newest revision in a batch', [request('tools/list', { _meta: envelope })], old],
    ['an invalid message in a batch', [pair[0], 5], old],
  ];
  for (const [title, body, headers] of refused) {
    it(`rejects ${title}`, async () => {
      const response = await assistant.post(body, headers);
      assert.equal(response.status, 400);
      const { id, error } = await readAnswer(response);
      assert.deepEqual([id, error?.code], [null, -32600]);
      assert.match(error?.message ?? '', /^[A-Zi].*[.:]/);
    });
  }
  it('counts each request of a batch against the rate limit', async () => {
    await using limited = await startTestService({ environment: { TAPEDECK_RATE_LIMIT: '3' } });
    const limitedOwner = await addPerson(limited, { isOwner: true });
    const { token: few } = await addToken(limitedOwner, { kind: 'logs' });
    const response = await openAssistant(limited, few).post(Array(4).fill(request('ping')), old);
    assert.equal(response.status, 429);
  });
});

describe('reports invalid messages and methods', () => {
  const rows: [
    title: string,
    body: unknown,
    status: number,
    code: number,
    headers?: Record<string, string>,
  ][] = [
    ['broken JSON', '{"jsonrpc":', 400, -32700],
    ['an empty body', '', 400, -32700],
    ['a text', '"ping"', 400, -32600],
    ['null', 'null', 400, -32600],
    ['no version', { id: 1, method: 'ping' }, 400, -32600],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    ['an id that is null', request('ping', {}, null), 400, -32600],
    ['an id with a fraction', request('ping', {}, 1.5), 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
    ['a method that is not text', { jsonrpc: '2.0', id: 1, method: 5 }, 400, -32600],
    ['parameters in a list', request('ping', []), 400, -32600],
    ['an unknown method', request('resources/list'), 200, -32601],
    ['a method of the newest revision', request('server/discover'), 200, -32601],
    ['an unknown tool', request('tools/call', { name: 'drop_logs' }), 200, -32602],
    ['a tool without a name', request('tools/call'), 200, -32602],
    ['a tool of other tokens', request('tools/call', { name: 'get_file' }), 200, -32602],
    ['an unknown revision', request('ping'), 400, -32022, { 'mcp-protocol-version': '2024-11-05' }],
    ['an invalid revision', request('ping'), 400, -32022, { 'mcp-protocol-version': 'x'.repeat(300) }],
    [
      'a notification of an unknown revision',
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      400,
      -32022,
      { 'mcp-protocol-version': '1' },
    ],
  ];
  for (const [title, body, status, code, headers] of rows) {
    it(title, async () => {
      const response = await assistant.post(body, headers);
      assert.equal(response.status, status);
      const { error } = await readAnswer(response);
      assert.equal(error?.code, code, JSON.stringify(error));
      if (code === -32022) assert.equal(Object(error?.data?.supported)[0], newest);
    });
  }
});

it('null parameters count as absent', async () => {
  const response = await assistant.post({ ...request('ping'), params: null });
  assert.equal(response.status, 200);
  assert.deepEqual((await readAnswer(response)).result, {});
});

describe('the newest revision: each request is independent', () => {
  const alone = (method: string, params: object = {}): [object, Record<string, string>] => [
    request(method, { ...params, _meta: envelope }),
    { 'mcp-protocol-version': newest, 'mcp-method': method },
  ];
  it('describes the server', async () => {
    const { result } = await readAnswer(await assistant.post(...alone('server/discover')));
    assert.deepEqual(result?.supportedVersions, [newest, '2025-11-25', '2025-06-18', '2025-03-26']);
    assert.deepEqual([result?.resultType, result?.cacheScope], ['complete', 'private']);
    assert.ok(Number(result?.ttlMs) > 0);
    const [server] = Object.values(result?._meta as Record<string, { name: string }>);
    assert.equal(server?.name, 'tapedeck');
  });
  it('lists and calls tools', async () => {
    const { result } = await readAnswer(await assistant.post(...alone('tools/list')));
    assert.equal(result?.resultType, 'complete');
    const call = { name: 'count_logs', arguments: {} };
    const [body, headers] = alone('tools/call', call);
    for (const name of ['count_logs', `=?base64?${btoa('count_logs')}?=`]) {
      const answer = await readAnswer(await assistant.post(body, { ...headers, 'mcp-name': name }));
      assert.equal(answer.result?.resultType, 'complete', JSON.stringify(answer));
    }
  });
  const [list, headers] = alone('tools/list');
  const [call, callHeaders] = alone('tools/call', { name: 'count_logs' });
  const withMeta = (meta: object) => request('tools/list', { _meta: meta });
  const [revisionKey = '', capabilitiesKey = ''] = Object.keys(envelope);
  const rows: [string, object, Record<string, string>, status: number, code: number][] = [
    ['no envelope', request('tools/list'), headers, 400, -32602],
    ['an envelope without capabilities', withMeta({ [revisionKey]: newest }), headers, 400, -32602],
    ['capabilities as text', withMeta({ ...envelope, [capabilitiesKey]: 'x' }), headers, 400, -32602],
    ['a revision as a number', withMeta({ ...envelope, [revisionKey]: 5 }), headers, 400, -32602],
    ['headers of another revision', list, { ...headers, 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['another method in the header', list, { ...headers, 'mcp-method': 'ping' }, 400, -32020],
    ['no method in the header', list, { 'mcp-protocol-version': newest }, 400, -32020],
    ['no name in the header', call, callHeaders, 400, -32020],
    ['another name in the header', call, { ...callHeaders, 'mcp-name': 'log_fields' }, 400, -32020],
    ['a name in invalid base64', call, { ...callHeaders, 'mcp-name': '=?base64?x?=' }, 400, -32020],
    [
      'a future revision',
      withMeta({ ...envelope, [revisionKey]: '2027-01-01' }),
      { ...headers, 'mcp-protocol-version': '2027-01-01' },
      400,
      -32022,
    ],
    ['an unknown method', ...alone('ping'), 404, -32601],
    ['a handshake', { ...hello(newest) }, { ...headers, 'mcp-method': 'initialize' }, 400, -32602],
  ];
  for (const [title, body, sent, status, code] of rows) {
    it(`rejects ${title}`, async () => {
      const response = await assistant.post(body, sent);
      assert.equal(response.status, status);
      const { id, error } = await readAnswer(response);
      assert.deepEqual([id, error?.code], [7, code], JSON.stringify(error));
    });
  }
});
