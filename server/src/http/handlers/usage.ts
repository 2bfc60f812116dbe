/** Answers what a project takes up. */
import * as contract from '../../contract/usage.ts';
import { dayMs } from '../../domain/instants.ts';
import { readUsage, type UsageDay, type UsageDeps } from '../../domain/usage.ts';
import { limits } from '../../vocabulary.ts';
import { signalOf } from '../abortSignals.ts';
import { type HandledRoute, handle } from '../registry.ts';
import { writeInstant } from './records.ts';

export function handleUsage(deps: UsageDeps): HandledRoute[] {
  return [
    handle(contract.getUsage, async ({ params, query, reply }) => {
      const options = { days: query.days ?? limits.usageDaysDefault, signal: signalOf(reply) };
      const { totals, days } = await readUsage(deps, params.project, options);
      return { totals, days: days.map(writeDay) };
    }),
  ];
}

function writeDay({ day, datasets, ...counted }: UsageDay) {
  const date = writeInstant(day * dayMs).slice(0, 10);
  return { day: date, ...counted, datasets: Object.fromEntries(datasets) };
}
