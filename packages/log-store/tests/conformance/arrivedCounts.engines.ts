/** Counts of what arrived, on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./arrivedCounts.ts');
