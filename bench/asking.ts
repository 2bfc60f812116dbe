/** Asks a measured service over HTTP, with the one token of the benchmarks. */
import type { BenchService } from './processes.ts';

/** A token for files or for logs, depending on the setting in which the service gets it. */
export const token = 'benchbenchbenchbenchbenchbench12';

/** `path` is what follows `/api/v3`. */
export function ask({ port }: BenchService, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/api/v3${path}`, { headers: { authorization: token } });
}
