/** Tests counts of values on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./valueCounts.ts');
await import('./valueCountTimes.ts');
