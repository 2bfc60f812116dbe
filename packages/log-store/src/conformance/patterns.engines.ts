/** Patterns, on two shards. */
import { useShards } from '../../tests/clickhouse.ts';

useShards(2);
await import('./patterns.ts');
