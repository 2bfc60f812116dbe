/** Handles the routes of rules, channels and deliveries. */

import * as alerting from '@tapedeck/alerting';
import { parseInstant } from '@tapedeck/values/json';
import type { Static } from 'typebox';
import * as channelsContract from '../../contract/channels.ts';
import * as deliveriesContract from '../../contract/deliveries.ts';
import type { BodyOf } from '../../contract/route.ts';
import * as contract from '../../contract/rules.ts';
import { makeEditor } from '../../domain/alerting/editors.ts';
import type { ManagementDeps } from '../../domain/projects/auditedChanges.ts';
import { invalidFieldError, limits } from '../../vocabulary.ts';
import { signalOf } from '../abortSignals.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeInstant } from './records.ts';

export type RuleRouteDeps = ManagementDeps & alerting.RuleDeps & alerting.ChannelDeps & alerting.PreviewDeps;

export function handleRules(deps: RuleRouteDeps): HandledRoute[] {
  return [
    handle(contract.listRules, async ({ params }) => ({
      rules: (await alerting.listRules(deps, params.project)).map(writeRule),
    })),
    handle(contract.createRule, async ({ params, body, caller }) => {
      const input = { ...usual, ...params, ...readChanges(body), name: body.name, kind: body.kind };
      return { rule: writeRule(await alerting.createRule(deps, makeEditor(deps, caller), input)) };
    }),
    handle(contract.getRule, async ({ params }) => ({
      rule: writeRule(await alerting.getRule(deps, placeOf(params.project, params.rule))),
    })),
    handle(contract.updateRule, async ({ params, body, caller }) => {
      const place = placeOf(params.project, params.rule);
      return {
        rule: writeRule(
          await alerting.updateRule(deps, makeEditor(deps, caller), { ...place, ...readChanges(body) }),
        ),
      };
    }),
    handle(contract.deleteRule, async ({ params, caller }) => {
      await alerting.deleteRule(deps, makeEditor(deps, caller), placeOf(params.project, params.rule));
      return ok;
    }),
    handle(contract.listRuleHistory, async ({ params, query }) => {
      const page = { before: query.before ?? null, limit: readLimit(query.limit) };
      const { changes, nextBefore } = await alerting.listHistory(
        deps,
        placeOf(params.project, params.rule),
        page,
      );
      return {
        nextBefore,
        changes: changes.map(({ id, kind, at, value, count, isMuted }) => ({
          ...{ id, kind, at: writeInstant(at), value: value === '' ? null : value, count, muted: isMuted },
        })),
      };
    }),
    handle(contract.previewRule, async ({ params, body, reply }) => {
      const {
        name: _name,
        enabled: _enabled,
        channels: _channels,
        mutedUntil: _until,
        ...asked
      } = readChanges(body);
      const question = alerting.readQuestion({ ...usual, ...asked, kind: body.kind });
      return writePreview(
        await alerting.previewRule(deps, { ...unsaved, ...params, ...question }, signalOf(reply)),
      );
    }),
    handle(contract.previewSavedRule, async ({ params, body, reply }) => {
      const { rule } = await alerting.getRule(deps, placeOf(params.project, params.rule));
      return writePreview(
        await alerting.previewRule(deps, alerting.changeRule(rule, readChanges(body)), signalOf(reply)),
      );
    }),
  ];
}

export function handleChannels(deps: RuleRouteDeps): HandledRoute[] {
  return [
    handle(channelsContract.listChannels, async ({ params }) => ({
      channels: (await deps.store.read.channels.list(params.project)).map(writeChannel),
    })),
    handle(channelsContract.createChannel, async ({ params, body, caller }) => {
      const channel = await alerting.createChannel(deps, makeEditor(deps, caller), {
        ...params,
        events: [],
        ...body,
      });
      const { secret } = channel;
      return { channel: writeChannel(channel), ...(secret !== null && { secret }) };
    }),
    handle(channelsContract.updateChannel, async ({ params, body, caller }) => {
      const place = placeOf(params.project, params.channel);
      return {
        channel: writeChannel(
          await alerting.updateChannel(deps, makeEditor(deps, caller), { ...place, ...body }),
        ),
      };
    }),
    handle(channelsContract.deleteChannel, async ({ params, caller }) => {
      await alerting.deleteChannel(deps, makeEditor(deps, caller), placeOf(params.project, params.channel));
      return ok;
    }),
    handle(channelsContract.testChannel, async ({ params, caller, reply }) => {
      const place = placeOf(params.project, params.channel);
      const tried = { place, signal: signalOf(reply) };
      const { status, answer, tookMs } = await alerting.testChannel(deps, makeEditor(deps, caller), tried);
      return { status, answer, tookMs };
    }),
    handle(channelsContract.rotateChannel, async ({ params, caller }) => ({
      secret: await alerting.rotateChannel(
        deps,
        makeEditor(deps, caller),
        placeOf(params.project, params.channel),
      ),
    })),
  ];
}

export function handleDeliveries(deps: RuleRouteDeps): HandledRoute[] {
  return [
    handle(deliveriesContract.listDeliveries, async ({ params: { project }, query }) => {
      const { channel = null, rule = null, before = null } = query;
      const page = { project, channel, rule, before, limit: readLimit(query.limit) };
      const { deliveries, nextBefore } = await alerting.listDeliveries(deps, page);
      return { deliveries: deliveries.map(writeDelivery), nextBefore };
    }),
    handle(deliveriesContract.repeatDelivery, async ({ params, caller }) => ({
      delivery: writeDelivery(
        await alerting.repeatDelivery(makeEditor(deps, caller), placeOf(params.project, params.delivery)),
      ),
    })),
  ];
}

const usual = {
  ...{
    enabled: true,
    query: '',
    dataset: null,
    by: null,
    condition: {},
    windowSeconds: limits.ruleWindowSecondsDefault,
  },
  ...{ channels: [], mutedUntil: null },
};
const unsaved = {
  id: '',
  name: '',
  enabled: true,
  channels: [],
  mutedUntil: null,
  generation: 0,
  createdAt: 0,
  createdBy: '',
};

function placeOf(project: string, id: string): { project: string; id: string } {
  return { project, id };
}

/** What is absent is left out. */
function readChanges({
  mutedUntil,
  ...body
}: BodyOf<typeof contract.updateRule>): Partial<alerting.RuleInput> {
  if (mutedUntil === undefined) return body;
  return { ...body, mutedUntil: mutedUntil === null ? null : readInstant('mutedUntil', mutedUntil) };
}

function readInstant(field: string, text: string): number {
  const at = parseInstant(text);
  if (at !== null) return at.ms;
  throw invalidFieldError(field, `${field} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`);
}

function readLimit(asked: number | undefined): number {
  return Math.min(asked ?? limits.pageSizeDefault, limits.pageSizeMax);
}

function writeRule({ rule, watch }: alerting.ShownRule): Static<typeof contract.RuleRecord> {
  const { id, name, enabled, query, dataset, by, windowSeconds, createdBy } = rule;
  const { kind, ...condition } = rule.condition;
  const firing = watch?.firing ?? [];
  return {
    ...{ id, name, enabled, kind, query, dataset, by, condition, windowSeconds, createdBy },
    channels: [...rule.channels],
    mutedUntil: writeOptional(rule.mutedUntil),
    state: firing.length > 0 ? 'firing' : 'quiet',
    firing: firing.map(({ value, since, count }) => ({
      ...{ value: value === '' ? null : value, since: writeInstant(since), count },
    })),
    crowded: watch?.windows.isCrowded ?? false,
    trouble: watch?.trouble ?? null,
    lastFiredAt: writeOptional(watch?.lastFiredAt ?? null),
    createdAt: writeInstant(rule.createdAt),
  };
}

function writePreview({ fired, times, windows }: alerting.RulePreview) {
  if (windows === null) return { fired, times: times.map(writeInstant), windows };
  const { startMs, intervalMs, series } = windows;
  const drawn = { startAt: writeInstant(startMs), intervalSeconds: intervalMs / 1000, series };
  return { fired, times: times.map(writeInstant), windows: drawn };
}

function writeChannel(channel: alerting.Channel): Static<typeof channelsContract.ChannelRecord> {
  const { id, name, kind, events, off, createdBy } = channel;
  return {
    ...{ id, name, kind, events: [...events], createdBy },
    target: cutTarget(channel),
    enabled: off === null,
    offReason: off?.reason ?? null,
    failingSince: writeOptional(channel.failingSince),
    createdAt: writeInstant(channel.createdAt),
  };
}

const shownCharactersMax = 4;

/** Paths and queries of such addresses let anybody send. */
function cutTarget({ kind, target }: alerting.Channel): string {
  if (kind === 'email' || !URL.canParse(target)) return target;
  const { protocol, host, pathname } = new URL(target);
  const rest = pathname.slice(1);
  return `${protocol}//${host}/${rest.slice(0, Math.min(shownCharactersMax, rest.length / 4))}…`;
}

function writeDelivery(delivery: alerting.Delivery): Static<typeof deliveriesContract.DeliveryRecord> {
  const { id, channel, rule, type, messageId, state, attempts } = delivery;
  return {
    ...{ id, channel, rule, type, messageId, state },
    dueAt: writeInstant(delivery.dueAt),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: writeInstant(at), ...attempt })),
    createdAt: writeInstant(delivery.createdAt),
    endedAt: writeOptional(delivery.endedAt),
  };
}

function writeOptional(at: number | null): string | null {
  return at === null ? null : writeInstant(at);
}
