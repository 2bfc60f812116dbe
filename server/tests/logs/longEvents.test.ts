/**
 * Entries full of quotes, which are slow to write: following them does not block the event loop longer than CONTRACT.md, 14, allows, neither with
 * Server-Sent Events nor through Loki's WebSocket. Loki's lines carry the quotes as labels.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { requireShortHolds } from '../support/eventLoop.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, store } = await openLogClient(service);

const values = 256; // CONTRACT.md, 4.1: the most, each as long as it may be
const quotes = Object.fromEntries(
  Array.from({ length: values }, (_, path) => [`path${path}`, '"'.repeat(16 * 1024)]),
);
const begun = await follow({});
const place = /^id: (.+)$/m.exec(await begun.next())?.[1] ?? '';
await begun.leave();
await store([{ level: 'info', message: 'quotes', metadata: quotes }], 'quotes');

/** Follows the dataset; `next` resolves to the text up to the next blank line. */
async function follow(headers: Record<string, string>) {
  const gone = new AbortController();
  const response = await service.fetch('/api/v3/logs/tail?dataset=quotes', {
    headers: { authorization: token, ...headers },
    signal: gone.signal,
  });
  assert.equal(response.status, 200);
  const reader = response.body!.getReader(); // a tail has a body
  return {
    next: async () => {
      const pieces: Buffer[] = [];
      while (pieces.at(-1)?.toString('latin1').endsWith('\n\n') !== true) {
        const { value, done } = await reader.read();
        assert.ok(!done);
        pieces.push(Buffer.from(value));
      }
      return Buffer.concat(pieces).toString();
    },
    leave: async () => {
      gone.abort();
      await reader.closed.catch(() => {});
    },
  };
}

describe('an entry full of quotes comes whole', () => {
  it('as an event, to several followers', async () => {
    let text = '';
    await requireShortHolds(async () => {
      const followers = await Promise.all([1, 2, 3].map(() => follow({ 'last-event-id': place })));
      const texts = await Promise.all(
        followers.map(async ({ next }) => {
          for (;;) {
            const event = await next();
            if (event.includes('\ndata: ')) return event;
          }
        }),
      );
      assert.equal(new Set(texts).size, 1);
      [text = ''] = texts;
      await Promise.all(followers.map(({ leave }) => leave()));
    });
    const [, data = ''] = /^data: (.+)$/m.exec(text) ?? [];
    const { body, metadata } = JSON.parse(data) as { body: string; metadata: object }; // CONTRACT.md, 4.2
    assert.equal(body, 'quotes');
    assert.deepEqual(metadata, quotes);
  });

  for (const headers of [{}, { 'x-loki-response-encoding-flags': 'categorize-labels' }])
    it(`as a line of Loki's tail with ${JSON.stringify(headers)}`, async () => {
      let frame: Buffer = Buffer.alloc(0);
      await requireShortHolds(async () => {
        const query = encodeURIComponent('{dataset="quotes"}');
        const url = `${service.url.replace('http', 'ws')}/loki/api/v1/tail?query=${query}`;
        const socket = new WebSocket(url, { headers: { authorization: token, ...headers } });
        [frame] = (await once(socket, 'message')) as [Buffer]; // of the WebSocket's events
        socket.close();
        await once(socket, 'close');
      });
      const { streams } = JSON.parse(frame.toString()) as {
        streams: { stream: object; values: [string, string, { structuredMetadata?: object }?][] }[];
      }; // CONTRACT.md, 16.1
      const [stream] = streams;
      const labels = stream?.values[0]?.[2]?.structuredMetadata ?? stream?.stream ?? {};
      assert.deepEqual(Object.entries(labels).filter(([name]) => name in quotes).length, values);
      assert.ok(JSON.stringify(labels).includes(JSON.stringify(quotes.path255)));
    });
});
