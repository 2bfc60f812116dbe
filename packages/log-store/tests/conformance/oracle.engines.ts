/** Random questions, on two shards: fewer than on one engine, where the same ones are asked; LOG_QUESTIONS sets how many. */
import { useShards } from '../clickhouse.ts';

useShards(2);
process.env.LOG_QUESTIONS ??= '40';
await import('./oracle.ts');
