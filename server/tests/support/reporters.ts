/** Game servers that report SDK sessions, and the entries they send with a session's token. */
import { newId } from '@tapedeck/values/random-ids';
import { type Client, withToken } from './client.ts';
import { summariseAnswer } from './jsonAnswers.ts';
import { addPerson, addToken, type Person, type TokenOptions } from './people.ts';
import type { TestService } from './service.ts';

type Reporter = Client & { token: string; id: string };

type ReportingClient = {
  owner: Person;
  /** Adds a client with a new API token. */
  addReporter(options?: TokenOptions): Promise<Reporter>;
  /** Returns `200`, or for a refusal `401 token_expired`. */
  sendEntry(token: string, to?: TestService): Promise<string>;
};

export async function openReportingClient(service: TestService): Promise<ReportingClient> {
  const owner = await addPerson(service, { isOwner: true });
  return {
    owner,
    addReporter: async (options = { kind: 'logs' }) => {
      const made = await addToken(owner, options);
      return { ...withToken(service, made.token), ...made };
    },
    sendEntry: async (token, to = service) => {
      const response = await to.fetch('/api/v3/logs', {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: '[{"level":"info","message":"from a session"}]',
      });
      return summariseAnswer(response);
    },
  };
}

/** Makes a game server identity that no other test uses. */
export function makeServer() {
  return { sdkType: 'server_a', endpoint: '203.0.113.5:30120', resourceName: newId() };
}
