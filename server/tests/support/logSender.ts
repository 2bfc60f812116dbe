/** Calls the log routes as a script does, with a logs token. */
import assert from 'node:assert/strict';
import { addPerson, addToken, type Person } from './people.ts';
import type { TestService } from './service.ts';

export type LogClient = {
  owner: Person;
  token: string;
  /** `path` follows `/api/v3/logs`. Other headers may name another token. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(items: unknown, path?: string, headers?: Record<string, string>): Promise<Response>;
  /** Stores items; fails if the service refuses any. */
  store(items: readonly object[], dataset: string, headers?: Record<string, string>): Promise<void>;
};

export async function openLogClient(service: TestService): Promise<LogClient> {
  const owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs' });
  const post: LogClient['post'] = (items, path = '', headers = {}) =>
    service.fetch(`/api/v3/logs${path}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json', ...headers },
      body: items instanceof Uint8Array || typeof items === 'string' ? items : JSON.stringify(items),
    });
  return {
    owner,
    token,
    get: (path, headers = {}) =>
      service.fetch(`/api/v3/logs${path}`, { headers: { authorization: token, ...headers } }),
    post,
    store: async (items, dataset, headers) => {
      const response = await post(items, `?dataset=${dataset}`, headers);
      assert.equal(response.status, 200, await response.text());
    },
  };
}
