/** Tests counts by moments and first patterns on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./tallies.ts');
