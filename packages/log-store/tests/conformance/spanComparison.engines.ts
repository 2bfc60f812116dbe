/** Tests the comparison of two time spans on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./spanComparison.ts');
