/** Entries that were put into the table by the engine lack what the intake makes of them: a service completes them beside what it is asked. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchService } from './processes.ts';

const lookIntervalMs = 100;
const looksAtRest = 30; // a service that has just started does not know yet what is left to be done

/** Until nothing goes on beside questions but they themselves. */
export async function untilComplete(service: BenchService): Promise<void> {
  for (let atRest = 0; atRest < looksAtRest; await wait(lookIntervalMs))
    atRest = (await isCompleting(service)) ? 0 : atRest + 1;
}

export async function isCompleting({ port }: BenchService): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return 'preparing' in ((await answer.json()) as object); // as the contract says
}
