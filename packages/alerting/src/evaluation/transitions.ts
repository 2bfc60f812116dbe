/** Records a change of a rule's state: its memory, its history and its notifications. */
import type { EventRule, RuleEvent, RuleTroubleEvent } from '@tapedeck/notifications';
import { linkMoment, linkRule } from '../links.ts';
import { composeDeliveries, type OrderedIds } from '../outbox.ts';
import type { Channel, Delivery, Rule, RuleChange, RuleMemory } from '../ports/records.ts';
import type { RuleState, Transition } from '../windows/states.ts';
import { nothingToShow } from './alertContext.ts';
import { reportMissingField } from './missingFields.ts';
import type { Watched } from './watchedRule.ts';

/** The result of an evaluation. */
export type Step = {
  windows: RuleState;
  transitions: readonly Transition[];
  trouble: string | null;
  /** Absent: unchanged. */
  returned?: RuleMemory['returned'];
};

export type Outcome = { watch: RuleMemory; changes: RuleChange[]; deliveries: Delivery[] };

export type AlertingDeps = {
  ids: OrderedIds;
  publicUrl: string;
  channels: readonly Channel[];
  /** Adds the context shown with a transition. */
  loadAlertContext(rule: Rule, transition: Transition): Promise<Pick<RuleEvent, 'entries' | 'windows'>>;
};

/** Returns null if nothing must be written at once. */
export async function composeOutcome(
  { rule, watch }: Watched,
  step: Step,
  { now, ...deps }: AlertingDeps & { now: number },
): Promise<Outcome | null> {
  const isMuted = rule.mutedUntil !== null && rule.mutedUntil > now;
  const { firing, lastFiredAt, news } = applyTransitions(watch, step.transitions, { isMuted, now });
  const trouble = step.trouble ?? (watch.fieldGone ? reportMissingField(rule, watch.fieldGone) : null);
  const reportsTrouble = trouble !== null && watch.trouble === null && !isMuted && !wasReported(watch, now);
  if (news.length === 0 && !reportsTrouble && trouble === watch.trouble) return null;
  const shown = await Promise.all(
    news.map(({ transition, isReported }) =>
      isReported || transition.kind === 'fired' ? deps.loadAlertContext(rule, transition) : nothingToShow,
    ),
  );
  const changes = news.flatMap(({ transition, isChange }, index): RuleChange[] => {
    if (!isChange) return [];
    const entries = transition.kind === 'fired' ? (shown[index]?.entries ?? []) : [];
    const { id, project } = rule;
    const { isReturn: _, ...change } = transition;
    return [{ id: deps.ids.next(), rule: id, project, ...change, isMuted, actor: null, entries }];
  });
  const events: (RuleEvent | RuleTroubleEvent)[] = news.flatMap((one, index) =>
    one.isReported ? [composeEvent(rule, one, { ...deps, shown: shown[index] ?? nothingToShow })] : [],
  );
  if (reportsTrouble) events.push(composeTrouble(rule, { trouble, at: now }, deps));
  const deliveries = events.flatMap(event =>
    composeDeliveries(
      deps.ids,
      { event, rule: rule.id },
      { channels: chooseChannels(rule, event.type, deps.channels), now },
    ),
  );
  const next: RuleMemory = {
    ...watch,
    windows: step.windows,
    firing,
    lastFiredAt,
    trouble,
    ...(reportsTrouble && { troubleToldAt: now }),
    ...(step.returned !== undefined && { returned: step.returned }),
  };
  return { watch: next, changes, deliveries };
}

/** A change to save, to report, or both. `since`: when the rule began to fire. */
type News = { transition: Transition; since: number; isChange: boolean; isReported: boolean };

/** When a mute ends, reports alerts that still fire, unless a user has acknowledged them. */
function applyTransitions(
  watch: RuleMemory,
  transitions: readonly Transition[],
  { isMuted, now }: { isMuted: boolean; now: number },
): Pick<RuleMemory, 'firing' | 'lastFiredAt'> & { news: News[] } {
  const firing = new Map(watch.firing.map(one => [one.value, one]));
  const news: News[] = [];
  let { lastFiredAt } = watch;
  for (const transition of transitions) {
    const { kind, value, at, count } = transition;
    const before = firing.get(value);
    if (kind === 'fired') {
      firing.set(value, { value, since: at, count, isTold: !isMuted });
      lastFiredAt = at;
    } else firing.delete(value);
    const isReported = !isMuted && (kind === 'fired' || before?.isTold === true);
    news.push({ transition, since: before?.since ?? at, isChange: true, isReported });
  }
  if (!isMuted) {
    for (const one of [...firing.values()]) {
      const { value, since, count } = one;
      if (one.isTold || one.acknowledged !== undefined) continue;
      firing.set(value, { ...one, isTold: true });
      const transition = { kind: 'fired', value, at: now, count } as const;
      news.push({ transition, since, isChange: false, isReported: true });
    }
  }
  return { firing: [...firing.values()], lastFiredAt, news };
}

const troubleSilenceMs = 6 * 3_600_000; // recurring trouble is reported this often

function wasReported({ troubleToldAt }: RuleMemory, now: number): boolean {
  return troubleToldAt !== undefined && Math.abs(now - troubleToldAt) < troubleSilenceMs;
}

/** Returns channels that the rule names or that subscribe to rules, unless they exclude its severity. */
export function chooseChannels(
  rule: Pick<Rule, 'project' | 'channels' | 'severity'>,
  type: string,
  channels: readonly Channel[],
): readonly Channel[] {
  return channels.filter(
    ({ id, project, events, severities }) =>
      project === rule.project &&
      (rule.channels.includes(id) || events.some(event => event === type)) &&
      (severities.length === 0 || severities.includes(rule.severity)),
  );
}

type Composing = Pick<AlertingDeps, 'publicUrl'> & { shown: Pick<RuleEvent, 'entries' | 'windows'> };

function composeEvent(rule: Rule, { transition, since }: News, { publicUrl, shown }: Composing): RuleEvent {
  const { kind, value, at, count } = transition;
  return {
    type: `rule.${kind}`,
    at,
    project: rule.project,
    url: linkMoment(rule, transition, publicUrl),
    rule: describe(rule),
    value: value === '' ? null : value,
    count,
    firedAt: since,
    entries: shown.entries,
    windows: shown.windows,
    ...(transition.isReturn && { isReturn: true }),
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

function describe(rule: Rule): EventRule {
  const { id, name, severity, query, dataset, by, windowSeconds } = rule;
  const { kind, ...condition } = rule.condition;
  return { id, name, severity, kind, query, dataset, by, condition, windowSeconds };
}
