/** Tests pages, cursors, look-ups, neighbours and datasets on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./queries.ts');
