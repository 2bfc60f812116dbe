/** Counting values, on two shards. */
import { useShards } from '../../../../tests/logs/clickhouse.ts';

useShards(2);
await import('./valueCounts.ts');
await import('./valueCountTimes.ts');
