/** Handles the routes of notification channels and deliveries. */
import * as alerting from '@tapedeck/alerting';
import * as channelsContract from '@tapedeck/contract/channels';
import * as deliveriesContract from '@tapedeck/contract/deliveries';
import { makeEditor } from '@tapedeck/domain/alerting/editors';
import type { Static } from 'typebox';
import { readPageSize } from '../queryParameters.ts';
import { type HandledRoute, handle, ok, signalOf } from '../routing.ts';
import { writeInstant, writeOptional } from './jsonRecords.ts';
import { placeOf, type RuleRouteDeps } from './rules.ts';

export function handleChannels(deps: RuleRouteDeps): HandledRoute[] {
  return [
    handle(channelsContract.listChannels, async ({ params }) => ({
      channels: (await deps.store.read.channels.list(params.project)).map(writeChannel),
    })),
    handle(channelsContract.createChannel, async ({ params, body, caller }) => {
      const input = { ...params, events: [], severities: [], ...body };
      const channel = await alerting.createChannel(deps, makeEditor(deps, caller), input);
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
      const page = { project, channel, rule, before, limit: readPageSize(query) };
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

function writeChannel(channel: alerting.Channel): Static<typeof channelsContract.ChannelRecord> {
  const { id, name, kind, events, off, createdBy } = channel;
  return {
    id,
    name,
    kind,
    events: [...events],
    createdBy,
    target: cutTarget(channel),
    severities: [...channel.severities],
    warnings: alerting.warnOfTarget(channel),
    enabled: off === null,
    offReason: off?.reason ?? null,
    failingSince: writeOptional(channel.failingSince),
    createdAt: writeInstant(channel.createdAt),
  };
}

const shownCharactersMax = 4;

/** Hides paths and queries, because anyone who knows them can send to the channel. */
function cutTarget({ kind, target }: alerting.Channel): string {
  if (kind === 'email' || !URL.canParse(target)) return target;
  const { protocol, host, pathname } = new URL(target);
  const rest = pathname.slice(1);
  return `${protocol}//${host}/${rest.slice(0, Math.min(shownCharactersMax, rest.length / 4))}…`;
}

function writeDelivery(delivery: alerting.Delivery): Static<typeof deliveriesContract.DeliveryRecord> {
  const { id, channel, rule, type, messageId, state, attempts } = delivery;
  return {
    id,
    channel,
    rule,
    type,
    messageId,
    state,
    dueAt: writeInstant(delivery.dueAt),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: writeInstant(at), ...attempt })),
    createdAt: writeInstant(delivery.createdAt),
    endedAt: writeOptional(delivery.endedAt),
  };
}
