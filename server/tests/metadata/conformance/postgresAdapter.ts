/** PostgreSQL under the conformance suite: each database new on one throwaway server. */
import assert from 'node:assert/strict';
import { checkIndexes, createDatabase } from '@tapedeck/metadata-database/testing';
import type { PostgresEngine } from '../../../../scripts/engines/postgres.ts';
import type { Adapter } from '../conformance.ts';

export function buildPostgresAdapter(server: PostgresEngine): Adapter {
  return {
    name: 'PostgreSQL',
    createEmpty: async () => {
      const { url, [Symbol.asyncDispose]: drop } = await createDatabase(server);
      return { config: { kind: 'postgres', url }, [Symbol.asyncDispose]: drop };
    },
    checkIntegrity: config => {
      assert(config.kind === 'postgres');
      return checkIndexes(config.url);
    },
  };
}
