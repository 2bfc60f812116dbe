/** Rows of channels, rules and deliveries. */
import type { ChannelKind, DeliveryState } from '../../../vocabulary.ts';
import type { Flag } from '../flags.ts';

export type ChannelRow = {
  id: string;
  project: string;
  name: string;
  kind: ChannelKind;
  target: string;
  events: string;
  severities: string | null;
  secret: string | null;
  former_secret: string | null;
  former_secret_until: number | null;
  failing_since: number | null;
  held_until: number | null;
  off_at: number | null;
  off_reason: string | null;
  created_at: number;
  created_by: string;
};

export type RuleRow = {
  id: string;
  project: string;
  name: string;
  enabled: Flag;
  condition: string;
  query: string;
  dataset: string | null;
  by: string | null;
  window_seconds: number;
  channels: string;
  severity: string | null;
  muted_until: number | null;
  generation: number;
  created_at: number;
  created_by: string;
};

/** `memory` is what nothing is asked of but the whole. */
export type RuleMemoryRow = {
  rule: string;
  generation: number;
  judged_at: number;
  memory: string;
  trouble: string | null;
};

export type RuleChangeRow = {
  id: string;
  rule: string;
  project: string;
  kind: 'fired' | 'resolved' | 'acknowledged';
  at: number;
  value: string;
  count: number;
  is_muted: Flag;
  actor: string | null;
  entries: string | null;
};

export type DeliveryRow = {
  id: string;
  project: string;
  channel: string;
  rule: string | null;
  type: string;
  message_id: string;
  event: string;
  state: DeliveryState;
  due_at: number;
  attempts: string;
  created_at: number;
  ended_at: number | null;
};
