/** Records a change of a rule's state: its memory, its history and its notifications. */
import type { RuleEvent, RuleTroubleEvent, ToldRule } from '@tapedeck/notifications';
import { linkMoment, linkRule } from '../links.ts';
import { composeDeliveries, type OrderedIds } from '../outbox.ts';
import type { Channel, Delivery, Firing, Rule, RuleChange, RuleMemory } from '../ports/records.ts';
import type { RuleState, Transition } from '../windows/states.ts';
import { reportMissingField } from './missingFields.ts';

/** A rule with what is remembered of it, and when that was written last; null: never. */
export type Watched = { rule: Rule; watch: RuleMemory; storedAt: number | null };

/** What a look found. */
export type Step = { windows: RuleState; transitions: readonly Transition[]; trouble: string | null };

export type Outcome = { watch: RuleMemory; changes: RuleChange[]; deliveries: Delivery[] };

export type AlertingDeps = {
  ids: OrderedIds;
  publicUrl: string;
  channels: readonly Channel[];
  /** What is shown beside it. */
  illustrate(rule: Rule, transition: Transition): Promise<Pick<RuleEvent, 'entries' | 'windows'>>;
};

/** null: nothing that must be written at once. */
export async function tell(
  { rule, watch }: Watched,
  step: Step,
  { now, ...deps }: AlertingDeps & { now: number },
): Promise<Outcome | null> {
  const isMuted = rule.mutedUntil !== null && rule.mutedUntil > now;
  const firing = new Map(watch.firing.map(one => [one.value, one]));
  const changes: RuleChange[] = [];
  const composed: (Promise<RuleEvent> | RuleTroubleEvent)[] = [];
  let { lastFiredAt } = watch;
  for (const transition of step.transitions) {
    const { kind, value, at, count } = transition;
    const before = firing.get(value);
    if (kind === 'fired') {
      firing.set(value, { value, since: at, count, isTold: !isMuted });
      lastFiredAt = at;
    } else firing.delete(value);
    const { id: ruleId, project } = rule;
    changes.push({ id: deps.ids.next(), rule: ruleId, project, kind, at, value, count, isMuted });
    const isHeard = !isMuted && (kind === 'fired' || before?.isTold === true);
    if (isHeard) composed.push(composeEvent(rule, { ...transition, since: before?.since ?? at }, deps));
  }
  if (!isMuted) {
    for (const one of [...firing.values()].filter(({ isTold }) => !isTold)) {
      firing.set(one.value, { ...one, isTold: true });
      const { value, since, count } = one;
      composed.push(composeEvent(rule, { kind: 'fired', value, at: now, count, since }, deps));
    }
  }
  const trouble = step.trouble ?? (watch.fieldGone ? reportMissingField(rule, watch.fieldGone) : null);
  const isTroubleTold = trouble !== null && watch.trouble === null && !isMuted && !wasTold(watch, now);
  if (isTroubleTold) composed.push(composeTrouble(rule, { trouble, at: now }, deps));
  const next: RuleMemory = {
    ...watch,
    ...{ windows: step.windows, firing: [...firing.values()], lastFiredAt, trouble },
    ...(isTroubleTold && { troubleToldAt: now }),
  };
  if (changes.length + composed.length === 0 && trouble === watch.trouble) return null;
  const events = await Promise.all(composed);
  const deliveries = events.flatMap(event =>
    composeDeliveries(
      deps.ids,
      { event, rule: rule.id },
      { channels: chooseChannels(rule, event.type, deps), now },
    ),
  );
  return { watch: next, changes, deliveries };
}

const troubleSilenceMs = 6 * 3_600_000; // trouble that comes and goes is told now and then

function wasTold({ troubleToldAt }: RuleMemory, now: number): boolean {
  return troubleToldAt !== undefined && Math.abs(now - troubleToldAt) < troubleSilenceMs;
}

/** Those that the rule names, and those that subscribe to what rules of the project tell. */
function chooseChannels(rule: Rule, type: string, { channels }: AlertingDeps): readonly Channel[] {
  return channels.filter(
    ({ id, project, events }) =>
      project === rule.project && (rule.channels.includes(id) || events.some(event => event === type)),
  );
}

type Told = Transition & { since: Firing['since'] };

async function composeEvent(
  rule: Rule,
  { since, ...transition }: Told,
  deps: AlertingDeps,
): Promise<RuleEvent> {
  const { kind, value, at, count } = transition;
  return {
    type: `rule.${kind}`,
    ...{ at, project: rule.project, url: linkMoment(rule, transition, deps.publicUrl) },
    rule: describe(rule),
    ...{ value: value === '' ? null : value, count, firedAt: since },
    ...(await deps.illustrate(rule, transition)),
  };
}

function composeTrouble(
  rule: Rule,
  { trouble, at }: { trouble: string; at: number },
  deps: AlertingDeps,
): RuleTroubleEvent {
  const url = linkRule(rule, deps.publicUrl);
  return { type: 'rule.troubled', at, project: rule.project, url, rule: describe(rule), trouble };
}

function describe({
  id,
  name,
  query,
  dataset,
  by,
  windowSeconds,
  condition: { kind, ...condition },
}: Rule): ToldRule {
  return { ...{ id, name, kind, query, dataset, by, windowSeconds }, condition };
}
