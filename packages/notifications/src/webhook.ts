/** Composes an event as signed JSON for programs. */
import type {
  EventEntry,
  MergedRulesEvent,
  NotificationEvent,
  RuleEvent,
  RuleTroubleEvent,
} from './events.ts';
import { toInstant } from './formatting.ts';
import type { ComposedRequest } from './requests.ts';
import { sign } from './signatures.ts';

type WebhookSending = {
  /** The same for all attempts, so that a receiver can ignore repeats. Must not contain a dot, which separates the signed parts. */
  id: string;
  /** The time of the attempt, in Unix milliseconds. */
  sentAt: number;
  /** The current secret, and the former one while it is valid. */
  secrets: readonly string[];
};

export function composeWebhook(
  event: NotificationEvent,
  { id, sentAt, secrets }: WebhookSending,
): ComposedRequest {
  const body = JSON.stringify({ type: event.type, timestamp: toInstant(event.at), data: listData(event) });
  const seconds = Math.floor(sentAt / 1_000);
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': sign(secrets, { id, seconds, body }),
    },
    body,
  };
}

function listData(event: NotificationEvent): object {
  const { project, url } = event;
  switch (event.type) {
    case 'rule.fired':
    case 'rule.resolved':
      return { project, ...listRuleData(event), url };
    case 'rule.troubled':
      return { project, ...listTroubleData(event), url };
    case 'rules.merged':
      return { project, ...listMergedData(event), url };
    case 'channel.test':
      return { project, channel: event.channel, url };
    case 'file.created':
    case 'file.deleted':
      return { project, file: event.file, url };
    default:
      return { project, session: event.session, url };
  }
}

function listRuleData({ type, at, rule, value, count, firedAt, ...event }: RuleEvent): object {
  const { entries, windows, isReturn = false } = event;
  return {
    rule,
    value,
    count,
    ...(rule.kind === 'issue' && { returned: isReturn }),
    firedAt: toInstant(firedAt),
    resolvedAt: type === 'rule.resolved' ? toInstant(at) : null,
    entries: entries.map(listEntry),
    windows: windows && {
      endsAt: toInstant(windows.endAt),
      seconds: windows.windowMs / 1_000,
      counts: windows.counts,
    },
  };
}

function listEntry({ at, level, resource, message }: EventEntry): object {
  return { timestamp: toInstant(at), level, resource, message };
}

function listTroubleData({ rule, trouble }: RuleTroubleEvent): object {
  return { rule, trouble };
}

function listMergedData({ changes, counts }: MergedRulesEvent): object {
  return {
    count: counts.fired + counts.resolved + counts.troubled,
    ...counts,
    changes: changes.map(({ type, at, ruleId, ruleName, value, count }) => ({
      type,
      timestamp: toInstant(at),
      value,
      count,
      rule: { id: ruleId, name: ruleName },
    })),
  };
}
