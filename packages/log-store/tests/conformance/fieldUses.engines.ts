/** Tests fields and values on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./fieldUses.ts');
