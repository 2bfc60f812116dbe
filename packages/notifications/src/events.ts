/** The events that notifications report: plain data that never changes. Times are Unix milliseconds. */

type Told = {
  at: number;
  project: string;
  /** A page that shows it at that moment. */
  url: string;
};

export type ToldRule = {
  id: string;
  name: string;
  /** Absent: a version that knew none wrote it. */
  severity?: 'info' | 'warning' | 'critical';
  kind: 'count' | 'change' | 'new_pattern' | 'issue' | 'session_quiet' | 'storage';
  query: string;
  dataset: string | null;
  by: string | null;
  condition: { op?: '>=' | '<'; value?: number; factor?: number };
  windowSeconds: number;
};

export type ToldEntry = { at: number; level: string; resource: string | null; message: string };

/** One count for each window, the last of them ending at `endAt`. */
type ToldWindows = { endAt: number; windowMs: number; counts: readonly number[] };

export type RuleEvent = Told & {
  type: 'rule.fired' | 'rule.resolved';
  rule: ToldRule;
  /** The value of the grouping field, the pattern that is new or came back, or the server that went quiet. */
  value: string | null;
  /** The count in the window; for storage, the percentage of the quota. */
  count: number;
  firedAt: number;
  entries: readonly ToldEntry[];
  windows: ToldWindows | null;
  /** Present: an issue that somebody had resolved. */
  isReturn?: true;
};

/** The rule cannot be judged at present. */
export type RuleTroubleEvent = Told & { type: 'rule.troubled'; rule: ToldRule; trouble: string };

export type ToldChange = {
  type: 'rule.fired' | 'rule.resolved' | 'rule.troubled';
  at: number;
  ruleId: string;
  ruleName: string;
  value: string | null;
  count: number;
};

/** Stands for more changes than a channel gets one by one. */
export type MergedRulesEvent = Told & {
  type: 'rules.merged';
  /** The first of them. */
  changes: readonly ToldChange[];
  /** Totals. */
  counts: { fired: number; resolved: number; troubled: number };
  ruleIds: readonly string[];
};

type ChannelTestEvent = Told & { type: 'channel.test'; channel: string };

/** The file as the service answers it. */
export type FileEvent = Told & {
  type: 'file.created' | 'file.deleted';
  file: Readonly<Record<string, unknown>>;
};

/** The session as the service answers it. */
export type SessionEvent = Told & {
  type: 'session.opened' | 'session.ended';
  session: Readonly<Record<string, unknown>>;
};

export type ToldEvent =
  | RuleEvent
  | RuleTroubleEvent
  | MergedRulesEvent
  | ChannelTestEvent
  | FileEvent
  | SessionEvent;
