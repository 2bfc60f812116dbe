/** Tests the bytes of datasets on two shards. */
import { useShards } from '../clickhouse.ts';

useShards(2);
await import('./datasetBytes.ts');
