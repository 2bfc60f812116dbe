/** Kept counts, on two shards. */
import { useShards } from '../../tests/clickhouse.ts';

useShards(2);
await import('./keptCounts.ts');
