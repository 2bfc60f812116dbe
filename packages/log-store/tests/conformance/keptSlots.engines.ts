/** Tests counts by level and resource on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./keptSlots.ts');
