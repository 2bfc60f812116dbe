/** Tests series and children on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./series.ts');
await import('./children.ts');
