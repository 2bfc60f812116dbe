/** Waits until a service has completed entries that were inserted directly into the engine and lack the fields that the intake adds. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchService } from './processes.ts';

const pollIntervalMs = 100;
const looksAtRest = 30; // a service that has just started does not know yet how much is left

/** Waits until the service works only on queries. */
export async function untilComplete(service: BenchService): Promise<void> {
  for (let atRest = 0; atRest < looksAtRest; await wait(pollIntervalMs))
    atRest = (await isCompleting(service)) ? 0 : atRest + 1;
}

export async function isCompleting({ port }: BenchService): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return 'preparing' in ((await answer.json()) as object); // per the contract
}
