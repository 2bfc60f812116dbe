/** Tests expiry and deletion on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./removals.ts');
