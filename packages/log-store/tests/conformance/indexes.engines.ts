/** Tests on two shards that queries with an index read few entries. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./indexes.ts');
