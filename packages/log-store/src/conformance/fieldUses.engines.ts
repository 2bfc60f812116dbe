/** Fields, values and what is kept of them, on two shards. */
import { useShards } from '../../tests/clickhouse.ts';

useShards(2);
await import('./fieldUses.ts');
await import('./keptCounts.ts');
