/** Counting values, on two shards. */
import { useShards } from '../../../tests/logs/clickhouse.ts';

useShards(2);
await import('./conformance/valueCounts.ts');
await import('./conformance/valueCountTimes.ts');
