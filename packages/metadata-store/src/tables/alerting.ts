/** Tables of alerting: channels, rules with their state, and deliveries. */
import type { Channel, Delivery, Rule, RuleChange, RuleMemory } from '@tapedeck/alerting';
import type { ChannelKind, DeliveryState, Severity } from '@tapedeck/domain/vocabulary';
import {
  describeTable,
  flag,
  integer,
  json,
  key,
  optional,
  refersTo,
  text,
  word,
} from '@tapedeck/metadata-database';

export const channels = describeTable(
  'channels',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    name: text,
    kind: word<ChannelKind>(),
    target: text,
    events: json<Channel['events']>(),
    secret: optional(text),
    former_secret: optional(text),
    former_secret_until: optional(integer),
    failing_since: optional(integer),
    off_at: optional(integer),
    off_reason: optional(text),
    created_at: integer,
    created_by: text,
    /** The receiver accepts no messages until then. */
    held_until: optional(integer),
    severities: optional(json<Channel['severities']>()),
  },
  { channels_by_name: { columns: ['project', 'name'], isUnique: true } },
);

export const rules = describeTable(
  'rules',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    name: text,
    enabled: flag,
    condition: json<Rule['condition']>(),
    query: text,
    dataset: optional(text),
    by: optional(text),
    window_seconds: integer,
    channels: json<Rule['channels']>(),
    muted_until: optional(integer),
    generation: integer,
    created_at: integer,
    created_by: text,
    /** null: an earlier version wrote the row. */
    severity: optional(word<Severity>()),
  },
  { rules_by_name: { columns: ['project', 'name'], isUnique: true } },
);

const ofRule = refersTo('rules.id', { onDelete: 'cascade' });

/** `memory` is opaque: no query looks inside it. */
export const ruleWatches = describeTable('rule_watches', {
  rule: key(ofRule),
  generation: integer,
  judged_at: integer,
  memory: json<Omit<RuleMemory, 'rule' | 'generation' | 'judgedAt' | 'trouble'>>(),
  trouble: optional(text),
});

export const ruleChanges = describeTable(
  'rule_changes',
  {
    id: key(text),
    rule: ofRule,
    project: text,
    kind: word<RuleChange['kind']>(),
    at: integer,
    value: text,
    count: integer,
    is_muted: flag,
    actor: optional(text),
    entries: optional(json<RuleChange['entries']>()),
  },
  { rule_changes_by_rule: ['rule', 'id'], rule_changes_by_time: ['at'] },
);

export const deliveries = describeTable(
  'deliveries',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    channel: refersTo('channels.id', { onDelete: 'cascade' }),
    /** The rule may have been deleted. */
    rule: optional(text),
    type: text,
    message_id: text,
    event: text,
    state: word<DeliveryState>(),
    due_at: integer,
    attempts: json<Delivery['attempts']>(),
    created_at: integer,
    ended_at: optional(integer),
  },
  {
    deliveries_by_state: ['state', 'id'],
    deliveries_by_project: ['project', 'id'],
    deliveries_by_channel: ['channel', 'id'],
    deliveries_by_end: ['ended_at'],
    deliveries_by_due_time: ['channel', 'state', 'due_at', 'id'],
  },
);
