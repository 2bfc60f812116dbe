/** Evaluates rules that do not read log entries: quiet servers and storage quotas. */
import type { Facts } from '../ports/facts.ts';
import type { Rule, RuleMemory } from '../ports/records.ts';
import type { Transition } from '../windows/states.ts';
import type { Step } from './transitions.ts';

export type OtherDeps = { facts: Facts };

type Looked = { rule: Rule; watch: RuleMemory; now: number };

/** A server that stopped reporting fires until it reports again. */
export async function evaluateSessions({ facts }: OtherDeps, { rule, watch, now }: Looked): Promise<Step> {
  const { project } = rule;
  const { at } = watch.windows;
  const silent = await facts.listSilent(project, { after: at, upTo: now });
  const reporting = new Set(await facts.listReporting(project, now));
  const firing = watch.firing.map(({ value }) => value);
  const transitions: Transition[] = [
    ...[...new Set(silent)]
      .filter(value => !firing.includes(value) && !reporting.has(value))
      .map(value => ({ kind: 'fired', value, at: now, count: 1 }) as const),
    ...firing
      .filter(value => reporting.has(value))
      .map(value => ({ kind: 'resolved', value, at: now, count: 0 }) as const),
  ];
  return { windows: { ...watch.windows, at: now }, transitions, trouble: null };
}

const withoutQuota =
  'The project has no quota that could fill up; an owner of the installation sets quotas of bytes and of files.';

/** Evaluates the two quotas separately. */
export async function evaluateStorage({ facts }: OtherDeps, { rule, watch, now }: Looked): Promise<Step> {
  const { project, condition } = rule;
  const quotas = await facts.readQuotas(project);
  const threshold = condition.kind === 'storage' ? condition.value : 100;
  const firing = new Set(watch.firing.map(({ value }) => value));
  const transitions = quotas.flatMap(({ quota: value, percent }): Transition[] => {
    const isFull = percent !== null && percent >= threshold;
    if (isFull === firing.has(value)) return [];
    return [{ kind: isFull ? 'fired' : 'resolved', value, at: now, count: percent ?? 0 }];
  });
  const hasQuota = quotas.some(({ percent }) => percent !== null);
  return { windows: { ...watch.windows, at: now }, transitions, trouble: hasQuota ? null : withoutQuota };
}
