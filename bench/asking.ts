/** Asks a measured service over HTTP, with the one token of the benchmarks. */
import type { BenchService } from './processes.ts';

/** Of files or of logs, as the setting says that it is given to the service with. */
export const token = 'benchbenchbenchbenchbenchbench12';

/** `path` is what follows `/api/v3`. */
export function ask({ port }: BenchService, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/api/v3${path}`, { headers: { authorization: token } });
}
