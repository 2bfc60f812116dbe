/** Runs the pager. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

export type Pager = {
  /** The command line, for a shell. */
  command: string;
  environment: Readonly<Record<string, string | undefined>>;
};

/** Returns whether the shell would find it. */
export function isThere(command: string): boolean {
  const [program = ''] = command.trim().split(/\s+/);
  const found = spawnSync('sh', ['-c', 'command -v -- "$0" >/dev/null', program], { stdio: 'ignore' });
  return found.status === 0;
}

export type RunningPager = { input: Writable; ended: Promise<unknown> };

export function startPager({ command, environment }: Pager, closed: AbortController): RunningPager {
  const child: ChildProcess & { stdin: Writable } = spawn('sh', ['-c', command], {
    stdio: ['pipe', 'inherit', 'inherit'],
    // git's settings: colours work, and the text stays on the screen.
    env: { LESS: 'FRX', LV: '-c', ...environment },
  });
  const ended = once(child, 'exit').catch(() => undefined);
  void ended.then(() => closed.abort());
  child.stdin.on('error', () => closed.abort()); // the pager ended before reading everything
  return { input: child.stdin, ended };
}
