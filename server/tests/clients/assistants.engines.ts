/** Tests the official npm clients of the Model Context Protocol: for the revisions with a handshake, and for the newest revision. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { smallPng } from '@tapedeck/media-facts/samples';
import { requireNodeClients } from '../../../scripts/clients/installedClients.ts';
import { readText, type ToolResult } from '../mcp/assistant.ts';
import { openLogClient } from '../support/logSender.ts';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { mediaEnvironment, uploadFile } from '../support/uploading.ts';

/** The parts of both packages that the tests use; their types are not installed. */
type Client = {
  connect(transport: object): Promise<void>;
  getServerVersion(): { name: string } | undefined;
  getInstructions(): string | undefined;
  listTools(): Promise<{ tools: { name: string; annotations?: { readOnlyHint?: boolean } }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<ToolResult>;
  close(): Promise<void>;
};
type ClientMaker = new (info: { name: string; version: string }, options?: object) => Client;
type TransportMaker = new (url: URL, options: object) => { protocolVersion?: string };
type Sdk = { Client: ClientMaker; StreamableHTTPClientTransport: TransportMaker };

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
await store(
  [
    { level: 'error', message: 'the door is stuck', resource: 'lobby' },
    { level: 'info', message: 'a player joined' },
  ],
  'game',
);
const { id } = await uploadFile(service, smallPng, { filename: 'door.png' });
const tokens = {
  logs: (await addToken(owner, { kind: 'logs', scopes: ['read'] })).token,
  media: (await addToken(owner, { kind: 'media', scopes: ['read'] })).token,
};

const require = await requireNodeClients();
async function load(name: string): Promise<object> {
  return await import(pathToFileURL(require.resolve(name)).href);
}

// Typed by the parts described above.
const elder = {
  ...(await load('@modelcontextprotocol/sdk/client/index.js')),
  ...(await load('@modelcontextprotocol/sdk/client/streamableHttp.js')),
} as Sdk;
const newer = (await load('@modelcontextprotocol/client')) as Sdk;

const clients: readonly [title: string, sdk: Sdk, options: object][] = [
  ['@modelcontextprotocol/sdk', elder, {}],
  ['@modelcontextprotocol/client', newer, {}],
  [
    '@modelcontextprotocol/client, which negotiates the revision',
    newer,
    { versionNegotiation: { mode: 'auto' } },
  ],
  [
    '@modelcontextprotocol/client of the newest revision',
    newer,
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  ],
];

for (const [title, { Client, StreamableHTTPClientTransport }, options] of clients) {
  describe(title, () => {
    const open = async (kind: keyof typeof tokens) => {
      const headers = { Authorization: `Bearer ${tokens[kind]}` };
      const client = new Client({ name: 'test', version: '1' }, options);
      const url = new URL(`${service.url}/mcp`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      return client;
    };
    it('reads logs', async () => {
      const client = await open('logs');
      assert.equal(client.getServerVersion()?.name, 'tapedeck');
      assert.match(client.getInstructions() ?? '', /Tapedeck stores logs/);
      const { tools } = await client.listTools();
      assert.equal(tools.length, 6);
      assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
      const { content } = await client.callTool({ name: 'search_logs', arguments: { query: 'level:error' } });
      const { rows } = readText(content[0]?.text ?? '');
      assert.deepEqual(
        rows.map(({ body }) => body),
        ['the door is stuck'],
      );
      const wrong = await client.callTool({ name: 'search_logs', arguments: { query: '(door' } });
      assert.equal(wrong.isError, true);
      assert.match(wrong.content[0]?.text ?? '', /Close this bracket.*position 0/);
      await assert.rejects(client.callTool({ name: 'get_file', arguments: { id } }), /Unknown tool/);
      await client.close();
    });
    it('views pictures', async () => {
      const client = await open('media');
      const { content } = await client.callTool({ name: 'get_file', arguments: { id } });
      assert.deepEqual(
        content.map(({ type }) => type),
        ['text', 'image'],
      );
      await client.close();
    });
  });
}
