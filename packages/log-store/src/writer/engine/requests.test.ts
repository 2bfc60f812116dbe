/** The caller gets the error, however an engine ends an answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { awaitAnswer, openRequest } from './requests.ts';

const refusal = zstdCompressSync('Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)');
const headers = {
  'content-encoding': 'zstd',
  'content-length': refusal.length,
  'x-clickhouse-exception-code': '241',
};
const timeout = 30_000; // far more than needed; without it, a request without an answer would wait forever

type Answer = (response: http.ServerResponse) => void;

/** Sends a request to a server that gives this answer, as an engine would. */
async function ask(answer: Answer): Promise<void> {
  const server = http.createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  try {
    const sent = openRequest({ url: `http://127.0.0.1:${port}`, headers: {} }, { parameters: {} });
    sent.end();
    await awaitAnswer(sent);
  } finally {
    server.close();
  }
}

const rows: { title: string; answer: Answer; error: object }[] = [
  {
    title: 'reports a compressed refusal in the words of the engine',
    answer: response => response.writeHead(500, headers).end(refusal),
    error: { name: 'EngineError', engineCode: 241, message: /^Code: 241\. DB::Exception: Memory limit/ },
  },
  {
    title: 'reports an engine that dies while refusing as a broken connection',
    answer: response => {
      response.writeHead(500, headers).write(refusal.subarray(0, 20), () => response.destroy());
    },
    error: { code: 'ECONNRESET' },
  },
];

for (const { title, answer, error } of rows) {
  test(title, { timeout }, () => assert.rejects(ask(answer), error));
}
