/** Handles the routes of rules, channels and deliveries. */

import assert from 'node:assert/strict';
import * as alerting from '@tapedeck/alerting';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/rules';
import { makeEditor } from '@tapedeck/domain/alerting/editors';
import { readInstantMs } from '@tapedeck/domain/instants';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { limits } from '@tapedeck/domain/vocabulary';
import type { Static } from 'typebox';
import { readPageSize } from '../queryParameters.ts';
import { type HandledRoute, handle, ok, signalOf } from '../routing.ts';
import { writeInstant, writeOptional } from './jsonRecords.ts';

export type RuleRouteDeps = ManagementDeps & alerting.RuleDeps & alerting.ChannelDeps & alerting.PreviewDeps;

export function handleRules(deps: RuleRouteDeps): HandledRoute[] {
  return [
    handle(contract.listRules, async ({ params: { project } }) => ({
      rules: await writeRules(deps, project, await alerting.listRules(deps, project)),
    })),
    handle(contract.createRule, async ({ params, body, caller }) => {
      const input = { ...usual, ...params, ...readChanges(body), name: body.name, kind: body.kind };
      return answerRule(deps, await alerting.createRule(deps, makeEditor(deps, caller), input));
    }),
    handle(contract.getRule, async ({ params }) =>
      answerRule(deps, await alerting.getRule(deps, placeOf(params.project, params.rule))),
    ),
    handle(contract.updateRule, async ({ params, body, caller }) => {
      const changes = { ...placeOf(params.project, params.rule), ...readChanges(body) };
      return answerRule(deps, await alerting.updateRule(deps, makeEditor(deps, caller), changes));
    }),
    handle(contract.acknowledgeAlert, async ({ params, body, caller }) => {
      const place = { ...placeOf(params.project, params.rule), value: body.value ?? null };
      return answerRule(deps, await alerting.acknowledgeAlert(makeEditor(deps, caller), place));
    }),
    handle(contract.deleteRule, async ({ params, caller }) => {
      await alerting.deleteRule(deps, makeEditor(deps, caller), placeOf(params.project, params.rule));
      return ok;
    }),
    handle(contract.listRuleHistory, async ({ params, query }) => {
      const page = { before: query.before ?? null, limit: readPageSize(query) };
      const { changes, nextBefore } = await alerting.listHistory(
        deps,
        placeOf(params.project, params.rule),
        page,
      );
      return {
        nextBefore,
        changes: changes.map(writeChange),
      };
    }),
    handle(contract.previewRule, async ({ params, body, reply }) => {
      const { name: _name, channels, ...condition } = readChanges(body);
      const { severity, ...question } = { ...usual, ...condition, kind: body.kind };
      const { enabled: _enabled, mutedUntil: _until, ...request } = question;
      const rule = { ...unsaved, ...params, ...alerting.readQuestion(request), severity };
      return showPreview(deps, { ...rule, channels: channels ?? [] }, signalOf(reply));
    }),
    handle(contract.previewSavedRule, async ({ params, body, reply }) => {
      const { rule } = await alerting.getRule(deps, placeOf(params.project, params.rule));
      return showPreview(deps, alerting.changeRule(rule, readChanges(body)), signalOf(reply));
    }),
  ];
}

const usual = {
  enabled: true,
  query: '',
  dataset: null,
  by: null,
  condition: {},
  windowSeconds: limits.ruleWindowSecondsDefault,
  channels: [],
  mutedUntil: null,
  severity: 'warning' as const,
};
const unsaved = {
  id: '',
  name: '',
  enabled: true,
  mutedUntil: null,
  generation: 0,
  createdAt: 0,
  createdBy: '',
};

export function placeOf(project: string, id: string): { project: string; id: string } {
  return { project, id };
}

/** Leaves out absent fields. */
function readChanges({
  mutedUntil,
  ...body
}: BodyOf<typeof contract.updateRule>): Partial<alerting.RuleInput> {
  if (mutedUntil === undefined) return body;
  return { ...body, mutedUntil: mutedUntil === null ? null : readInstantMs('mutedUntil', mutedUntil) };
}

async function answerRule(deps: RuleRouteDeps, shown: alerting.ShownRule) {
  const [rule] = await writeRules(deps, shown.rule.project, [shown]);
  assert(rule);
  return { rule };
}

async function writeRules({ store }: RuleRouteDeps, project: string, shown: readonly alerting.ShownRule[]) {
  const channels = await store.read.channels.list(project);
  return shown.map(one => writeRule(one, channels));
}

function writeRule(
  { rule, watch }: alerting.ShownRule,
  ownChannels: readonly alerting.Channel[],
): Static<typeof contract.RuleRecord> {
  const { id, name, severity, enabled, query, dataset, by, windowSeconds, createdBy } = rule;
  const { kind, ...condition } = rule.condition;
  const firing = watch?.firing ?? [];
  return {
    id,
    name,
    severity,
    enabled,
    kind,
    query,
    dataset,
    by,
    condition,
    windowSeconds,
    createdBy,
    channels: [...rule.channels],
    mutedUntil: writeOptional(rule.mutedUntil),
    state: firing.length > 0 ? 'firing' : 'quiet',
    firing: firing.map(({ value, since, count, acknowledged }) => ({
      value: value === '' ? null : value,
      since: writeInstant(since),
      count,
      acknowledged:
        acknowledged === undefined ? null : { by: acknowledged.by, at: writeInstant(acknowledged.at) },
    })),
    warnings: alerting.warnOfRule(rule, ownChannels),
    crowded: watch?.windows.isCrowded ?? false,
    trouble: watch?.trouble ?? null,
    lastFiredAt: writeOptional(watch?.lastFiredAt ?? null),
    createdAt: writeInstant(rule.createdAt),
  };
}

function writeChange({ id, kind, at, value, count, isMuted, actor, entries }: alerting.RuleChange) {
  return {
    id,
    kind,
    at: writeInstant(at),
    value: value === '' ? null : value,
    count,
    muted: isMuted,
    by: actor,
    entries: entries.map(entry => ({ ...entry, at: writeInstant(entry.at) })),
  };
}

async function showPreview(deps: RuleRouteDeps, rule: alerting.Rule, signal: AbortSignal) {
  const channels = await deps.store.read.channels.list(rule.project);
  const { fired, times, windows } = await alerting.previewRule(deps, rule, signal);
  const warnings = [...alerting.warnOfFiring(fired), ...alerting.warnOfRule(rule, channels)];
  const drawn = windows && {
    startAt: writeInstant(windows.startMs),
    intervalSeconds: windows.intervalMs / 1000,
    series: windows.series,
  };
  return { fired, times: times.map(writeInstant), warnings, windows: drawn };
}
