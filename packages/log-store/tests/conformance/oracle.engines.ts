/** Runs the same random queries as on one engine, but fewer, on two shards. LOG_QUESTIONS sets how many. */
import { useShards } from '../clickhouse.ts';

useShards(2);
process.env.LOG_QUESTIONS ??= '40';
await import('./oracle.ts');
