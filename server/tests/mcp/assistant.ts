/** Simulates an assistant: sends its messages and reads what the tools return. */
import assert from 'node:assert/strict';
import type { TestService } from '../support/service.ts';

export const newest = '2026-07-28';
const envelopeKeys = {
  revision: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
};

/** Fields that the newest revision requires in each request. */
export const envelope = { [envelopeKeys.revision]: newest, [envelopeKeys.capabilities]: {} };

export type ToolResult = {
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  isError?: boolean;
};

/** The parts of responses that tests look at. */
export type RpcAnswer = {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
};

export type Assistant = {
  /** Sends any body, texts unchanged. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Returns the response of a request that got a 200. */
  ask(method: string, params?: object): Promise<RpcAnswer>;
  call(name: string, given?: unknown): Promise<ToolResult>;
  /** Returns the text and rows of a successful tool call. */
  read(name: string, given?: object): Promise<{ said: string; rows: Record<string, unknown>[] }>;
  /** Returns the error text of a failed tool call. */
  refuse(name: string, given?: unknown): Promise<string>;
};

export function openAssistant(service: TestService, token: string): Assistant {
  const post: Assistant['post'] = (body, headers = {}) =>
    service.fetch('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ask: Assistant['ask'] = async (method, params = {}) => {
    const response = await post({ jsonrpc: '2.0', id: 1, method, params });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as RpcAnswer; // JSON-RPC's shape
  };
  const call: Assistant['call'] = async (name, given = {}) => {
    const { result, error } = await ask('tools/call', { name, arguments: given });
    assert.ok(result, JSON.stringify(error));
    return result as ToolResult; // this method's result
  };
  return {
    post,
    ask,
    call,
    read: async (name, given) => {
      const { content, isError } = await call(name, given);
      const [{ text = '' } = {}] = content;
      assert.notEqual(isError, true, text);
      return readText(text);
    },
    refuse: async (name, given) => {
      const { content, isError } = await call(name, given);
      assert.equal(isError, true, JSON.stringify(content).slice(0, 300));
      return content[0]?.text ?? '';
    },
  };
}

export function readText(text: string): { said: string; rows: Record<string, unknown>[] } {
  const [, mark = ''] = /^----- begin of data ([0-9a-f]{16}) -----$/m.exec(text) ?? [];
  if (mark === '') return { said: text, rows: [] };
  const lines = text.split('\n');
  const begin = lines.indexOf(`----- begin of data ${mark} -----`);
  assert.equal(lines.indexOf(`----- end of data ${mark} -----`), lines.length - 1);
  return {
    said: lines.slice(0, begin).join('\n'),
    rows: lines.slice(begin + 1, -1).map(line => JSON.parse(line)),
  };
}
