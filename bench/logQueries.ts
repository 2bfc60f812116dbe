/** What finding log entries costs at twenty million: a program of its own, for it loads them first. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Bench } from './bench.ts';

export const logQueries: Bench = {
  name: 'log-queries',
  about: 'milliseconds of each kind of question at 20,000,000 entries',
  run: async () => {
    const program = path.join(import.meta.dirname, 'logs-query.ts');
    const child = spawn(process.execPath, [program], { stdio: 'inherit' });
    const [exitCode] = await once(child, 'exit');
    if (exitCode !== 0) throw new Error(`bench/logs-query.ts ended with ${exitCode}.`);
  },
};
