/** Access to the Model Context Protocol: headers, origins, tokens, and each token's tools. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { type Assistant, openAssistant } from './assistant.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner, { kind: 'logs', scopes: ['read'] });
const assistant = openAssistant(service, token);

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 7, method, params });

describe('headers', () => {
  const rows: [string, Record<string, string>, expected: string][] = [
    ['only JSON is accepted', { accept: 'application/json' }, '200'],
    ['everything is accepted', { accept: '*/*' }, '200'],
    ['only streams are accepted', { accept: 'text/event-stream' }, '406 not_acceptable'],
    ['pages are accepted', { accept: 'text/html' }, '406 not_acceptable'],
    ['another content type', { 'content-type': 'text/plain' }, '415 unsupported_content_type'],
    ['JSON with a charset', { 'content-type': 'application/json; charset=utf-8' }, '200'],
    ['a page of another site', { origin: 'https://evil.example' }, '403 cross_site'],
    ['a page without an origin', { origin: 'null' }, '403 cross_site'],
    ['a name like localhost', { origin: 'http://localhost.evil.example' }, '403 cross_site'],
    ['the dashboard', { origin: 'http://localhost:8787' }, '200'],
    ['a program on this machine', { origin: 'http://127.0.0.1:6274' }, '200'],
  ];
  for (const [title, headers, expected] of rows) {
    it(`${title}: ${expected}`, async () => {
      const response = await assistant.post(request('ping'), headers);
      const { code = '', error } = (await response.json()) as { code?: string; error?: string };
      assert.equal(`${response.status} ${code}`.trim(), expected, error ?? '');
    });
  }
  it('a message of 300 KiB is too large', async () => {
    const response = await assistant.post(request('ping', { text: 'x'.repeat(300 * 1024) }));
    assert.equal(response.status, 413);
  });
  for (const method of ['GET', 'DELETE', 'PUT']) {
    it(`${method} is rejected for everyone`, async () => {
      const headers = { accept: 'text/event-stream', 'mcp-session-id': 'x' };
      const response = await service.fetch('/mcp', { method, headers });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
    });
  }
});

describe('a token sees the tools that it may call', () => {
  const logTools = ['search_logs', 'count_logs', 'log_patterns', 'log_series', 'log_fields', 'log_context'];
  const rows: [kind: 'logs' | 'media', tools: string[]][] = [
    ['logs', logTools],
    ['media', ['search_files', 'get_file']],
  ];
  for (const [kind, names] of rows) {
    it(kind, async () => {
      const { result } = await openFor(kind).then(each => each.ask('tools/list'));
      const tools = result?.tools as {
        name: string;
        description: string;
        inputSchema: { type: string };
        annotations: Record<string, boolean>;
      }[];
      assert.deepEqual(
        tools.map(({ name }) => name),
        names,
      );
      for (const { description, inputSchema, annotations } of tools) {
        assert.ok(description.length > 60);
        assert.equal(inputSchema.type, 'object');
        assert.equal(annotations.readOnlyHint, true);
        assert.equal(annotations.destructiveHint, false);
      }
    });
  }
  it('tokens of other kinds see none', async () => {
    for (const kind of ['admin', 'webhook'] as const) {
      const { token: other } = await addToken(owner, { kind });
      const response = await openAssistant(service, other).post(request('tools/list'));
      assert.equal(response.status, 403);
      assert.match(await response.text(), /use one of the kind logs or media/);
    }
  });
  it('a write-only token is rejected with an explanation', async () => {
    const { token: writer } = await addToken(owner, { kind: 'logs', scopes: ['write'] });
    const response = await openAssistant(service, writer).post(request('tools/list'));
    assert.equal(response.status, 403);
    const { error } = (await response.json()) as { error: string };
    assert.equal(error, 'The token lacks the scope read.');
  });
  it('asks for a token if it is missing or unknown', async () => {
    for (const headers of [{}, { authorization: `Bearer ${'x'.repeat(32)}` }]) {
      const response = await service.fetch('/mcp', { method: 'POST', headers, body: '{}' });
      assert.equal(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    }
  });
});

async function openFor(kind: 'logs' | 'media'): Promise<Assistant> {
  return openAssistant(service, (await addToken(owner, { kind, scopes: ['read'] })).token);
}
