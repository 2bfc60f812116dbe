/** Tests counts of arrivals on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./arrivedCounts.ts');
