/** Tests copies from a cluster into a cluster. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./copies.ts');
