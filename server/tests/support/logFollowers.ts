/** Follows the tail over HTTP and collects the entries received. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { LogEntry } from '@tapedeck/contract/logs';
import type { Static } from 'typebox';

type TailEvent = { id: string; entry: Static<typeof LogEntry> };

export type Follower = AsyncDisposable & {
  events: TailEvent[];
  /** All ids, with or without an entry; a browser resumes from the last. */
  ids: string[];
  /** Resolves to the latest id once it differs from `other`. */
  takeId(other?: string): Promise<string>;
  /** Resolves to the bodies of the next `count` entries; rejects on timeout. */
  takeBodies(count: number): Promise<string[]>;
  /** Resolves when the service ends the stream. */
  ended: Promise<unknown>;
};

const takeMsMax = 15_000; // an event takes less than a second, but CI machines are slow
const idMsMax = 30_000; // without entries, an id comes with every heartbeat
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

/** Resolves once the service confirms that it follows. */
export async function follow(
  url: string,
  query: string,
  { token, lastEventId }: { token: string; lastEventId?: string },
): Promise<Follower> {
  const sent = request(`${url}/api/v3/logs/tail?${query}`, {
    agent,
    headers: { authorization: token, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
  });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage]; // as documented
  assert.equal(response.statusCode, 200);
  assert.match(response.headers['content-type'] ?? '', /^text\/event-stream/);
  const { events, ids, untilHeard } = hear(response);
  let taken = 0;
  response.on('error', () => {}); // this side ends it
  const ended = new Promise(resolve => response.once('close', resolve));
  await new Promise(resolve => response.once('data', resolve));
  return {
    events,
    ended,
    ids,
    takeId: async other => {
      await untilHeard(
        () => ids.length > 0 && ids.at(-1) !== other,
        idMsMax,
        () => 'no other id came',
      );
      return ids.at(-1)!;
    },
    takeBodies: async count => {
      const describe = () => `${events.length - taken} of ${count} events arrived`;
      await untilHeard(() => events.length >= taken + count, takeMsMax, describe);
      taken += count;
      return events.slice(taken - count, taken).map(({ entry }) => entry.body);
    },
    [Symbol.asyncDispose]: async () => {
      sent.destroy();
      await ended;
    },
  };
}

/** Collects the events of a stream and lets tests wait for them. */
function hear(response: IncomingMessage) {
  const events: TailEvent[] = [];
  const ids: string[] = [];
  let notify = () => {};
  let heardAt = 0;
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { id, data } = readFields(block);
      if (id === undefined) continue;
      ids.push(id);
      heardAt = performance.now();
      if (data !== undefined) events.push({ id, entry: JSON.parse(data) });
    }
    notify();
  });
  /** Gives up after that time without an event, however many were asked for. */
  const untilHeard = async (isThere: () => boolean, msMax: number, describe: () => string) => {
    const begunAt = performance.now();
    const readLeftMs = () => Math.max(begunAt, heardAt) + msMax - performance.now();
    while (!isThere()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      notify = resolve;
      const timer = setTimeout(resolve, Math.max(0, readLeftMs()));
      await promise;
      clearTimeout(timer);
      assert.ok(isThere() || readLeftMs() > 0, describe());
    }
  };
  return { events, ids, untilHeard };
}

function readFields(block: string): Record<string, string> {
  return Object.fromEntries(block.split('\n').map(line => [line.split(':')[0], line.replace(/^\w*: /, '')]));
}
