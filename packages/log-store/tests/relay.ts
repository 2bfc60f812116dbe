/** A relay in front of a ClickHouse server, for tests of what happens between two queries. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineAccess } from '../src/writer/engine/supervision.ts';

export type Relay = EngineAccess & AsyncDisposable;

/** Passes each request on to the server once `look` has seen it. */
export async function relay(access: EngineAccess, look: (url: URL) => Promise<void>): Promise<Relay> {
  const server = http.createServer(async (asked, answer) => {
    const target = new URL(asked.url!, access.endpoint()!.url);
    await look(target);
    const options = { method: 'POST', headers: asked.headers };
    const passed = http.request(target, options, response => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    passed.once('error', () => answer.destroy()); // the server or the client has gone
    asked.pipe(passed);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    ...access,
    endpoint: () => ({ ...access.endpoint()!, url: `http://127.0.0.1:${port}` }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Tells whether a statement names parts, which it binds as an array of text. */
export function namesParts(url: URL): boolean {
  return [...url.searchParams.values()].some(value => value.startsWith("['"));
}
