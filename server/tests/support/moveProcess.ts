/** Runs `tapedeck migrate-to` in a separate process, watches its lines, and kills it where a test says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/config.ts';
import { cleanEnvironment, commandOf } from './tapedeck.ts';

type BegunMove = AsyncDisposable & {
  child: ChildProcess;
  /** Lines printed so far. */
  said: readonly string[];
  /** Resolves to the first matching line; rejects if the command ends without it. */
  says(pattern: RegExp): Promise<string>;
  exit: Promise<{ exitCode: number | null; printed: string }>;
};

export const stopNow = /Stop the service now/;

/** The launcher is a command that execs this one. */
export function beginMove(environment: Environment, launcher: readonly string[] = []): BegunMove {
  const [program = '', ...words] = [...launcher, ...commandOf(['migrate-to', '--json'])];
  const child = spawn(program, words, {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const wake = () => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stderr }).on('line', line => {
    said.push(line);
    wake();
  });
  const printed = text(child.stdout);
  const exit = once(child, 'close').then(async ([exitCode]) => {
    isOver = true;
    wake();
    return { exitCode: exitCode as number | null, printed: await printed }; // documented for this event
  });
  const says = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const line = said.find(each => pattern.test(each));
        if (line === undefined && !isOver) return;
        waiting.delete(look);
        if (line === undefined)
          reject(new Error(`It exited without printing ${pattern}: ${said.join('\n')}`));
        else resolve(line);
      };
      waiting.add(look);
      look();
    });
  return {
    child,
    said,
    says,
    exit,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
