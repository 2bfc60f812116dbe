/** Port to the records of alerting: rules and their state, channels, deliveries and the outbox. */
import type { EventEntry } from '@tapedeck/notifications';
import type { ChannelEvent, ChannelKind, DeliveryState, Severity } from '../kinds.ts';
import type { RuleState, Transition } from '../windows/states.ts';
import type { WindowCondition } from '../windows/windows.ts';

export type Channel = {
  id: string;
  project: string;
  /** Unique in its project. */
  name: string;
  kind: ChannelKind;
  /** An address with a secret part. The service never returns or logs it in full. */
  target: string;
  /** Events of the project. Alerts of rules that name the channel come as well. */
  events: readonly ChannelEvent[];
  /** The severities of alerts to send; empty means all. */
  severities: readonly Severity[];
  /** The key that signs messages; null: unsigned. */
  secret: string | null;
  /** The previous key, which also signs until then. */
  former: { secret: string; until: number } | null;
  /** When the current run of failures began; null: the last attempt succeeded. */
  failingSince: number | null;
  /** The receiver accepts no messages before this time. null: it has not asked to wait, or has since accepted a message. */
  heldUntil: number | null;
  /** null: the channel is on. */
  off: { at: number; reason: string } | null;
  createdAt: number;
  createdBy: string;
};

/** `issue`: a pattern of errors that is new, or that came back after a user resolved it. `storage`: a percentage of a quota. */
export type RuleCondition =
  | WindowCondition
  | { kind: 'new_pattern' }
  | { kind: 'issue' }
  | { kind: 'session_quiet' }
  | { kind: 'storage'; value: number };

export type Rule = {
  id: string;
  project: string;
  /** Unique in its project. */
  name: string;
  severity: Severity;
  enabled: boolean;
  condition: RuleCondition;
  /** The query as written; '' for all entries, and for rules that do not query entries. */
  query: string;
  /** null: all datasets of the project. */
  dataset: string | null;
  /** The field whose values each have a state. */
  by: string | null;
  windowSeconds: number;
  /** Ids of channels. */
  channels: readonly string[];
  mutedUntil: number | null;
  /**
   * When the rule was created, enabled or given another query, in milliseconds of the log store's clock. Earlier arrivals do not count. Grows with
   * each such change.
   */
  generation: number;
  createdAt: number;
  createdBy: string;
};

/** The user who acknowledged an alert, and when. */
type Acknowledgement = { by: string; at: number };

/** Since when a value fires. When a mute ends, the service reports it if it still fires and is not acknowledged. */
export type Firing = {
  value: string;
  since: number;
  count: number;
  isTold: boolean;
  /** Absent: not acknowledged. */
  acknowledged?: Acknowledgement;
};

/** The state of a rule between two evaluations. */
export type RuleMemory = {
  rule: string;
  /** The generation of the evaluated rule. */
  generation: number;
  /** By the service's clock; the windows use the log store's. */
  judgedAt: number;
  windows: RuleState;
  firing: readonly Firing[];
  lastFiredAt: number | null;
  /** Why the service cannot evaluate the rule, or why the rule cannot match. */
  trouble: string | null;
  /** When that was last reported. */
  troubleToldAt?: number;
  /** Metadata paths that the rule needs and that entries had. Absent: not checked yet. */
  fieldsSeen?: readonly string[];
  /** The path that entries no longer have. */
  fieldGone?: string | null;
  /** For issue rules: patterns that came back, with the time of their resolution. Absent: none. */
  returned?: Readonly<Record<string, number>>;
};

/** A change in a rule's history. */
export type RuleChange = {
  /** Sorts by time. */
  id: string;
  rule: string;
  project: string;
  kind: Transition['kind'] | 'acknowledged';
  at: number;
  value: string;
  count: number;
  isMuted: boolean;
  /** The user who acknowledged it; null: it fired or was resolved. */
  actor: string | null;
  /** Some of the entries that made it fire. */
  entries: readonly EventEntry[];
};

/** `status` is null without a response; `answer` holds its first KiB, or the reason why there was none. */
export type DeliveryAttempt = { at: number; status: number | null; answer: string; tookMs: number };

export type Delivery = {
  /** Sorts by time, and by order within the same time. */
  id: string;
  project: string;
  channel: string;
  /** Notifications of one rule are sent in order; null: no rule. */
  rule: string | null;
  type: string;
  /** The id that the receiver sees. Repeats share the first one's. */
  messageId: string;
  /** The event as JSON. */
  event: string;
  state: DeliveryState;
  dueAt: number;
  attempts: readonly DeliveryAttempt[];
  createdAt: number;
  endedAt: number | null;
};

export interface ChannelRecords {
  /** A name in use in the project is `name_taken`. */
  insert(channel: Channel): Promise<void>;
  /** Replaces everything except project, kind and creation. A name in use is `name_taken`. */
  update(channel: Channel): Promise<void>;
  /** Also removes its deliveries. Returns false if it does not exist. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<Channel | null>;
  /** Lists channels by name. */
  list(project: string): Promise<Channel[]>;
}

export interface RuleRecords {
  /** A name in use in the project is `name_taken`. */
  insert(rule: Rule): Promise<void>;
  /** Replaces everything except project and creation. A name in use is `name_taken`. */
  update(rule: Rule): Promise<void>;
  /** Also removes its state and history. Returns false if it does not exist. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<Rule | null>;
  /** Lists rules by name. */
  list(project: string): Promise<Rule[]>;
  count(project: string): Promise<number>;
  /** Counts rules of all projects that are not deleted. */
  countEnabled(): Promise<number>;
  /** Lists rules of all projects that are not deleted, by id. */
  listEnabled(): Promise<Rule[]>;
}

export interface RuleMemories {
  /** Lists states of one project; null: of all. */
  list(project: string | null): Promise<RuleMemory[]>;
  find(rule: string): Promise<RuleMemory | null>;
  /** Replaces the state only if the stored one has this `judgedAt`, or for null, if none is stored. Otherwise returns false. */
  replace(watch: RuleMemory, judgedBefore: number | null): Promise<boolean>;
  record(changes: readonly RuleChange[]): Promise<void>;
  /** Newest first; `beforeId` continues a page. */
  listChanges(query: { rule: string; beforeId: string | null; limit: number }): Promise<RuleChange[]>;
}

export interface DeliveryRecords {
  insert(deliveries: readonly Delivery[]): Promise<void>;
  /** Updates state, due time, attempts and end. */
  update(delivery: Delivery): Promise<void>;
  find(id: string): Promise<Delivery | null>;
  /** Newest first, of one channel and one rule (null: all). `beforeId` continues a page. */
  list(query: {
    project: string;
    channel: string | null;
    rule: string | null;
    beforeId: string | null;
    limit: number;
  }): Promise<Delivery[]>;
}

/** What waits until a time after `latest` is due as well: a clock that was ahead has written it. */
export type DueTimes = { now: number; latest: number };

/** Pending deliveries, found by their channel. */
export interface OutboxRecords {
  /** Lists channels with due deliveries that are neither off nor on hold. */
  listDueChannels(times: DueTimes): Promise<Pick<Channel, 'id' | 'project'>[]>;
  /** Lists the longest due first: either notifications of rules, or all others. */
  listDue(query: {
    channel: string;
    times: DueTimes;
    isOfRules: boolean;
    limit: number;
  }): Promise<Delivery[]>;
  /** Lists notifications of rules that were attempted, due or not, and merged ones. */
  listBegun(channel: string): Promise<Delivery[]>;
  /** Lists notifications of rules that were never attempted, without repeats, in order. */
  listFresh(query: { channel: string; afterId: string; limit: number }): Promise<Delivery[]>;
  /** Lists the times since then when messages of rules were attempted, with any result. */
  listAttempts(channel: string, since: number): Promise<number[]>;
  endAsMerged(ids: readonly string[], at: number): Promise<void>;
  /** Makes waiting deliveries due. */
  hasten(channel: string, now: number): Promise<void>;
  /** Fails deliveries that wait for a channel that is off. */
  giveUpStranded(query: { createdBefore: number; now: number }): Promise<void>;
  /** Removes deliveries of the channel, finished ones included, and returns their number. If that is below the limit, none are left. */
  removeSome(channel: string, limit: number): Promise<number>;
  /** Measures all projects. `failed` covers the last `failedSinceMs` milliseconds. */
  measure(query: { now: number; failedSinceMs: number }): Promise<OutboxMeasures>;
}

export type OutboxMeasures = {
  waiting: number;
  /** How long the oldest delivery has waited. */
  oldestMs: number;
  failed: number;
  channelsOff: number;
};

/** Finished deliveries and history from before a given time. */
export interface NotificationRecords {
  forgetBefore(at: number): Promise<void>;
}

export type AuditEntry = {
  id: string;
  at: number;
  /** The actor as text: `user a@b.example`, `token 3fXk… (deploy)`, `command line`. */
  actor: string;
  /** null: the entry concerns the whole installation. */
  project: string | null;
  /** Verb and noun, `token.create`. */
  action: string;
  target: string;
  details: Readonly<Record<string, unknown>>;
};

/** All records of alerting, inside a transaction or outside. */
export type AlertRecords = {
  channels: ChannelRecords;
  rules: RuleRecords;
  watches: RuleMemories;
  deliveries: DeliveryRecords;
  outbox: OutboxRecords;
  notifications: NotificationRecords;
  audit: { append(entry: AuditEntry): Promise<void> };
};

export interface AlertStore {
  /** Reads outside of a transaction. Sees every acknowledged write. */
  readonly read: AlertRecords;
  /** Runs one transaction: all of the work or, if it throws, none. Resolves once it survives a power cut. */
  write<T>(work: (records: AlertRecords) => Promise<T>): Promise<T>;
  /** Grows with every change by an editor. */
  readAccessChanges(since: number): Promise<{ revision: number }>;
}
