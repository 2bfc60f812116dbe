/** Few entries are read where an index leads, on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./indexes.ts');
