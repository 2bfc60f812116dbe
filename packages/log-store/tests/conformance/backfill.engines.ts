/** Backfills entries of earlier versions on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./backfill.ts');
