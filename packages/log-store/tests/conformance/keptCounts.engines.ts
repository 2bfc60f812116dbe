/** Tests kept counts on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./keptCounts.ts');
