/** The events that notifications report: plain data that never changes. Times are Unix milliseconds. */

type EventBase = {
  at: number;
  project: string;
  /** A page that shows the event at that moment. */
  url: string;
};

export type EventRule = {
  id: string;
  name: string;
  /** Absent in events of older versions. */
  severity?: 'info' | 'warning' | 'critical';
  kind: 'count' | 'change' | 'new_pattern' | 'issue' | 'session_quiet' | 'storage';
  query: string;
  dataset: string | null;
  by: string | null;
  condition: { op?: '>=' | '<'; value?: number; factor?: number };
  windowSeconds: number;
};

export type EventEntry = { at: number; level: string; resource: string | null; message: string };

/** One count per window. The last window ends at `endAt`. */
type EventWindows = { endAt: number; windowMs: number; counts: readonly number[] };

export type RuleEvent = EventBase & {
  type: 'rule.fired' | 'rule.resolved';
  rule: EventRule;
  /** The value of the grouping field, the pattern that is new or came back, or the server that went quiet. */
  value: string | null;
  /** The count in the window; for storage, the percentage of the quota. */
  count: number;
  firedAt: number;
  entries: readonly EventEntry[];
  windows: EventWindows | null;
  /** Present if a resolved issue came back. */
  isReturn?: true;
};

/** The service cannot evaluate the rule at present. */
export type RuleTroubleEvent = EventBase & { type: 'rule.troubled'; rule: EventRule; trouble: string };

export type MergedChange = {
  type: 'rule.fired' | 'rule.resolved' | 'rule.troubled';
  at: number;
  ruleId: string;
  ruleName: string;
  value: string | null;
  count: number;
};

/** Merges more changes than a channel gets one by one. */
export type MergedRulesEvent = EventBase & {
  type: 'rules.merged';
  changes: readonly MergedChange[];
  counts: { fired: number; resolved: number; troubled: number };
  ruleIds: readonly string[];
};

type ChannelTestEvent = EventBase & { type: 'channel.test'; channel: string };

/** The file in the form of the API. */
export type FileEvent = EventBase & {
  type: 'file.created' | 'file.deleted';
  file: Readonly<Record<string, unknown>>;
};

/** The session in the form of the API. */
export type SessionEvent = EventBase & {
  type: 'session.opened' | 'session.ended';
  session: Readonly<Record<string, unknown>>;
};

export type NotificationEvent =
  | RuleEvent
  | RuleTroubleEvent
  | MergedRulesEvent
  | ChannelTestEvent
  | FileEvent
  | SessionEvent;
