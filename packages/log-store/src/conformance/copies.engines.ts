/** Copies from a cluster into a cluster. */
import { useShards } from '../../tests/clickhouse.ts';

useShards(2);
await import('./copies.ts');
