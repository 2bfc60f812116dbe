/** Runs the conformance suite on PostgreSQL, with a new database per case on one throwaway server. */
import assert from 'node:assert/strict';
import type { DatabasePlace } from '../../src/index.ts';
import type { Adapter } from './cases.ts';
import { checkIndexes, createDatabase } from './throwawayDatabases.ts';

export function placeAt(url: string): DatabasePlace {
  return { kind: 'postgres', url, setting: 'LIBRARY_URL', applicationName: 'library' };
}

export function readUrl(place: DatabasePlace): string {
  assert.equal(place.kind, 'postgres');
  return place.kind === 'postgres' ? place.url : '';
}

export function buildPostgresAdapter(server: { urlOf: (database: string) => string }): Adapter {
  return {
    name: 'PostgreSQL',
    createEmpty: async () => {
      const { url, [Symbol.asyncDispose]: drop } = await createDatabase(server);
      return { place: placeAt(url), [Symbol.asyncDispose]: drop };
    },
    checkIntegrity: place => checkIndexes(readUrl(place)),
  };
}
