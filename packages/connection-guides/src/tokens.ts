/** The least that tools need of a token, by what they send. */
import type { TokenNeed } from './guide.ts';

export const writesLogs: TokenNeed = { kind: 'logs', actions: ['write'], narrowedBy: ['dataset'] };
export const uploads: TokenNeed = { kind: 'media', actions: ['write'], narrowedBy: ['folder'] };
/** Where a tool's protocol has no place for the name of a dataset: everything goes to `default`. */
export const writesDefaultLogs: TokenNeed = { kind: 'logs', actions: ['write'], narrowedBy: [] };
/** Its messages become entries, and its files are kept. */
export const postsMessages: TokenNeed = {
  kind: 'webhook',
  actions: ['write'],
  narrowedBy: ['dataset', 'folder'],
};
