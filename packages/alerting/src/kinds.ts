/** Kinds of rules, channels, events and deliveries, and limits on them. Imports nothing, so that browsers can use it. */

export const ruleKinds = ['count', 'change', 'new_pattern', 'issue', 'session_quiet', 'storage'] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** How serious the alerts of a rule are; channels can leave some of them out. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const channelKinds = ['discord', 'slack', 'webhook', 'email'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** Events of a project that channels can subscribe to. */
export const channelEvents = [
  'file.created',
  'file.deleted',
  'session.opened',
  'session.ended',
  'rule.fired',
  'rule.resolved',
] as const;
export type ChannelEvent = (typeof channelEvents)[number];

export const deliveryStates = ['pending', 'delivered', 'failed', 'merged'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const alertLimits = {
  rulesMax: 1_000, // per project: more than anyone reads
  rulesEnabledMax: 3_000, // per installation: one process evaluates them all every few seconds
  channelsMax: 100, // per project
} as const;

/** Actions on rules, channels, alerts and notifications, by their names in the audit log. */
export const alertActions = [
  'rule.create',
  'rule.update',
  'rule.delete',
  'channel.create',
  'channel.update',
  'channel.rotate',
  'channel.switch_off',
  'channel.delete',
  'alert.acknowledge',
  'delivery.repeat',
] as const;
export type AlertAction = (typeof alertActions)[number];
