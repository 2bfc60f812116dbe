/** Tests patterns on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./patterns.ts');
