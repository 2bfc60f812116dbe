/** Measures authentication: calls a route that does nothing, with a token, and on the same server without one. */

import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { runLoadProcess, startBenchService } from './processes.ts';

const connections = 64;
const seconds = 5;
const rounds = 3;

export const authentication: Bench = {
  name: 'authentication',
  about: 'no-op requests a second on one core, with and without a token',
  run: async () => {
    await using service = await startBenchService({ TAPEDECK_MEDIA_TOKEN: token });
    const head = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const open = head('/healthz', '');
    const authenticated = head('/api/v3/token', `Authorization: ${token}\r\n`);
    const results = { open: [] as number[], authenticated: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, request] of [
        ['open', open],
        ['authenticated', authenticated],
      ] as const) {
        const result = await runLoadProcess({
          port: service.port,
          connections,
          seconds,
          requests: [request],
        });
        if (Object.keys(result.statuses).join() !== '200')
          throw new Error(`Answers: ${JSON.stringify(result.statuses)}`);
        results[name].push(result.requestsPerSecond);
      }
    }
    const floor = median(results.open);
    const rows = Object.entries(results).map(([name, rates]) => {
      const rate = median(rates);
      return [name, rate.toFixed(0), `${((100 * rate) / floor).toFixed(0)} %`];
    });
    printTable(['no-op route', 'requests/s', 'of the floor'], rows);
  },
};
