/** Creates, changes, deletes and lists a project's rules with their states. */
import { listChanged } from '@tapedeck/values/changed-fields';
import { newId } from '@tapedeck/values/random-ids';
import { endFiring } from './disabledRules.ts';
import { beginWatch } from './evaluation/ruleState.ts';
import { AlertingFailure, invalidFieldError } from './failures.ts';
import { alertLimits } from './kinds.ts';
import type { Clock } from './ports/clock.ts';
import type { Editor } from './ports/editor.ts';
import type { Arrivals } from './ports/logQueries.ts';
import type { AlertRecords, AlertStore, Rule, RuleChange, RuleMemory } from './ports/records.ts';
import { isOfEntries, type RuleRequest, readQuestion } from './ruleQueries.ts';

export type RuleDeps = {
  store: AlertStore;
  clock: Clock;
  arrivals: Pick<Arrivals, 'findEnd'>;
  address: { publicUrl: string };
};

type RulePlace = { project: string; id: string };

export type RuleInput = RuleRequest & Pick<Rule, 'name' | 'severity' | 'enabled' | 'channels' | 'mutedUntil'>;

/** A rule with its state; null: it has not been evaluated yet. */
export type ShownRule = { rule: Rule; watch: RuleMemory | null };

export async function listRules(
  { store, clock }: Pick<RuleDeps, 'store' | 'clock'>,
  project: string,
): Promise<ShownRule[]> {
  const [rules, watches] = await Promise.all([
    store.read.rules.list(project),
    store.read.watches.list(project),
  ]);
  const byRule = new Map(watches.map(watch => [watch.rule, watch]));
  return rules.map(rule => pairWithState(rule, byRule.get(rule.id) ?? null, clock.now()));
}

export async function getRule(
  { store, clock }: Pick<RuleDeps, 'store' | 'clock'>,
  place: RulePlace,
): Promise<ShownRule> {
  const rule = await requireRule(store.read, place);
  return pairWithState(rule, await store.read.watches.find(rule.id), clock.now());
}

const unwatchedMsMax = 120_000; // state is saved every ten seconds, and another node takes over within a minute

/** Ignores the state of an earlier query. */
export function pairWithState(rule: Rule, found: RuleMemory | null, now: number): ShownRule {
  if (!rule.enabled) return { rule, watch: null };
  const known = found?.generation === rule.generation ? found : null;
  const watch = known ?? beginWatch(rule);
  const unwatchedMs = now - watch.judgedAt;
  const isMissed = isOfEntries(rule) && unwatchedMs > unwatchedMsMax && watch.trouble === null;
  if (!isMissed) return { rule, watch: known };
  const minutes = Math.round(unwatchedMs / 60_000);
  const trouble = `The rule has not been evaluated for ${minutes} minutes, because the log engine or the database does not answer. Evaluation will continue where it stopped.`;
  return { rule, watch: { ...watch, trouble } };
}

export async function createRule(
  deps: RuleDeps,
  editor: Editor,
  { project, ...input }: RuleInput & { project: string },
): Promise<ShownRule> {
  editor.requireRights(project);
  const question = readQuestion(input);
  const { name, severity, enabled, channels, mutedUntil } = input;
  const generation = await findGeneration(deps);
  return editor.change(async ({ records, now, madeBy, requireProject, audit }) => {
    await requireProject(project);
    await requireCapacity(records, { project, isWatched: enabled });
    const made = { createdAt: now, createdBy: madeBy };
    const rule: Rule = {
      ...question,
      id: newId(),
      project,
      name,
      severity,
      enabled,
      channels,
      mutedUntil,
      generation,
      ...made,
    };
    await requireChannels(records, rule);
    await records.rules.insert(rule);
    await audit({ project, action: 'rule.create', target: rule.id, details: { name } });
    return { rule, watch: null };
  });
}

export async function updateRule(
  deps: RuleDeps,
  editor: Editor,
  { project, id, ...changes }: RulePlace & Partial<RuleInput>,
): Promise<ShownRule> {
  editor.requireRights(project);
  const generation = await findGeneration(deps);
  return editor.change(async ({ records, now, audit }) => {
    const before = await requireRule(records, { project, id });
    const after = changeRule(before, changes);
    const isNew = questionOf(after) !== questionOf(before) || (after.enabled && !before.enabled);
    const rule = isNew ? { ...after, generation: Math.max(generation, before.generation + 1) } : after;
    await requireChannels(records, rule);
    if (rule.enabled && !before.enabled) await requireWatch(records);
    if (isNew || !after.enabled) await endFiring({ records, now }, before, deps.address);
    await records.rules.update(rule);
    const [shownBefore = {}, shown = {}] = await Promise.all(
      [before, rule].map(one => describeRule(records, one)),
    );
    const changed = listChanged(shownBefore, shown);
    const details = { name: rule.name, ...changed };
    if (changed !== null) await audit({ project, action: 'rule.update', target: id, details });
    return pairWithState(rule, await records.watches.find(id), now);
  });
}

/** For the audit log. */
async function describeRule({ channels }: Pick<AlertRecords, 'channels'>, rule: Rule): Promise<object> {
  const { name, severity, enabled, query, dataset, by, windowSeconds, condition, mutedUntil } = rule;
  const named = await Promise.all(rule.channels.map(id => channels.find(id)));
  return {
    name,
    severity,
    enabled,
    query,
    dataset,
    by,
    windowSeconds,
    condition,
    channels: named.map((channel, index) => channel?.name ?? rule.channels[index]),
    mutedUntil: mutedUntil === null ? null : new Date(mutedUntil).toISOString(),
  };
}

async function requireCapacity(
  records: Pick<AlertRecords, 'rules'>,
  { project, isWatched }: { project: string; isWatched: boolean },
): Promise<void> {
  if ((await records.rules.count(project)) >= alertLimits.rulesMax)
    throw new AlertingFailure(
      'invalid_field',
      `A project has at most ${alertLimits.rulesMax} rules; remove one first.`,
    );
  if (isWatched) await requireWatch(records);
}

/** Limits enabled rules, because one process evaluates them all. */
async function requireWatch({ rules }: Pick<AlertRecords, 'rules'>): Promise<void> {
  if ((await rules.countEnabled()) < alertLimits.rulesEnabledMax) return;
  throw new AlertingFailure(
    'invalid_field',
    `This installation can have at most ${alertLimits.rulesEnabledMax} active rules, across all projects; turn one off first.`,
  );
}

/** Throws like `createRule`. */
export function changeRule(
  before: Rule,
  { name, severity, enabled, channels, mutedUntil, ...asked }: Partial<RuleInput>,
): Rule {
  const { kind, ...condition } = before.condition;
  const question = readQuestion({
    kind,
    condition: asked.kind === undefined || asked.kind === kind ? condition : {},
    query: before.query,
    dataset: before.dataset,
    by: before.by,
    windowSeconds: before.windowSeconds,
    ...asked,
  });
  return {
    ...before,
    ...question,
    name: name ?? before.name,
    severity: severity ?? before.severity,
    enabled: enabled ?? before.enabled,
    channels: channels ?? before.channels,
    mutedUntil: mutedUntil === undefined ? before.mutedUntil : mutedUntil,
  };
}

export async function deleteRule(deps: RuleDeps, editor: Editor, place: RulePlace): Promise<void> {
  const { project, id } = place;
  editor.requireRights(project);
  await editor.change(async ({ records, now, audit }) => {
    const rule = await requireRule(records, place);
    await endFiring({ records, now }, rule, deps.address);
    const { name } = rule;
    await records.rules.remove(id);
    await audit({ project, action: 'rule.delete', target: id, details: { name } });
  });
}

export async function listHistory(
  { store }: Pick<RuleDeps, 'store'>,
  place: RulePlace,
  { before, limit }: { before: string | null; limit: number },
): Promise<{ changes: RuleChange[]; nextBefore: string | null }> {
  const { id: rule } = await requireRule(store.read, place);
  const found = await store.read.watches.listChanges({ rule, beforeId: before, limit: limit + 1 });
  const changes = found.slice(0, limit);
  return { changes, nextBefore: found.length > limit ? (changes.at(-1)?.id ?? null) : null };
}

/** A rule of another project is treated as absent. */
export async function requireRule(
  { rules }: Pick<AlertRecords, 'rules'>,
  { project, id }: RulePlace,
): Promise<Rule> {
  const rule = await rules.find(id);
  if (rule?.project === project) return rule;
  throw new AlertingFailure('not_found', 'There is no such rule; it may have been removed.');
}

function questionOf({ condition, query, dataset, by, windowSeconds }: Rule): string {
  return JSON.stringify([condition, query, dataset, by, windowSeconds]);
}

/** Returns the time from which arrivals count, by the log store's clock, or by our own while the store is unavailable. */
async function findGeneration({ arrivals, clock }: RuleDeps): Promise<number> {
  const end = await arrivals.findEnd(AbortSignal.timeout(findEndMsMax)).catch(() => null);
  return end === null ? clock.now() : Math.floor(end.now.micros / 1000);
}

const findEndMsMax = 3_000; // a user who saves a rule waits for it

async function requireChannels({ channels }: AlertRecords, rule: Rule): Promise<void> {
  const known = new Set((await channels.list(rule.project)).map(({ id }) => id));
  const unknown = rule.channels.find(id => !known.has(id));
  if (unknown !== undefined) throw invalidFieldError('channels', `The project has no channel ${unknown}.`);
}
