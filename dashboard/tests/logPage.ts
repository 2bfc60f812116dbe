/** Opens the logs page in a browser with a test's entries. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { addToken } from '../../server/tests/support/people.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';

export const logs = '/projects/default/logs';

/** Stores entries in the dataset `game`. */
type Write = (items: readonly object[]) => Promise<void>;

type Opening = {
  /** Runs before the page opens; `now` is the service's time. */
  fill?: (write: Write, now: number) => Promise<void>;
  /** Runs before the page shows anything. */
  arrange?: (page: Page) => Promise<void>;
  search?: string;
};

type OpenedLogPage = OpenedDashboard & { write: Write };

export async function openLogPage({ fill, arrange, search = '' }: Opening = {}): Promise<OpenedLogPage> {
  let write: Write = async () => {};
  const dashboard = await openDashboard({
    ...(arrange && { arrange }),
    prepare: async owner => {
      const { service } = owner;
      const { token } = await addToken(owner, { kind: 'logs' });
      write = async items => {
        const headers = { authorization: token, 'content-type': 'application/json' };
        const request = { method: 'POST', headers, body: JSON.stringify(items) };
        assert.equal((await service.fetch('/api/v3/logs?dataset=game', request)).status, 200);
      };
      await fill?.(write, service.clock.now());
      return logs + search;
    },
  });
  return { ...dashboard, write };
}
