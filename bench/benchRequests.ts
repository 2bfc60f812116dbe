/** Sends requests to a measured service over HTTP, with the benchmarks' only token. */
import type { BenchService } from './processes.ts';

/** A token for files or for logs, depending on the setting that gives it to the service. */
export const token = 'benchbenchbenchbenchbenchbench12';

/** `path` follows `/api/v3`. `json`: a body to post. */
export function ask({ port }: BenchService, path: string, json: unknown = null): Promise<Response> {
  const url = `http://127.0.0.1:${port}/api/v3${path}`;
  if (json === null) return fetch(url, { headers: { authorization: token } });
  const headers = { authorization: token, 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(json) });
}
