/** Reads back over HTTP the entries that an ingest route stored. */
import { queryLogs } from '@tapedeck/contract/logs';
import type { ResponseOf } from '@tapedeck/contract/route';
import { withToken } from './client.ts';
import { addPerson, addToken } from './people.ts';
import type { TestService } from './service.ts';

export type Entry = ResponseOf<typeof queryLogs>['data'][number];

/** A service's logs token, and the entries of each dataset. */
type LogBook = {
  token: string;
  /** Returns the first hundred entries in order of arrival. */
  read(dataset: string): Promise<Entry[]>;
  /** Returns a name that no other test uses. */
  newDataset(): string;
};

let datasetCount = 0;

export async function openLogBook(service: TestService): Promise<LogBook> {
  const owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs' });
  const reader = withToken(service, token);
  return {
    token,
    read: async dataset =>
      (await reader.call(queryLogs, { query: { dataset, order: 'asc', limit: 100 } })).data,
    newDataset: () => `dataset${++datasetCount}`,
  };
}

/** Returns `warn: it burns`. */
export function summarise({ level, body }: Entry): string {
  return `${level}: ${body}`;
}
