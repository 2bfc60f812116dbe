/** Port to the records of alerting: rules and their state, channels, deliveries and the outbox. */
import type { ToldEntry } from '@tapedeck/notifications';
import type { ChannelEvent, ChannelKind, DeliveryState, Severity } from '../kinds.ts';
import type { RuleState, Transition } from '../windows/states.ts';
import type { WindowCondition } from '../windows/windows.ts';

export type Channel = {
  id: string;
  project: string;
  /** Unique in its project. */
  name: string;
  kind: ChannelKind;
  /** An address, of which a part is a secret; never answered or logged as a whole. */
  target: string;
  /** Events of the project, besides alerts of rules that name the channel. */
  events: readonly ChannelEvent[];
  /** Severities of the alerts that it gets; an empty list means all. */
  severities: readonly Severity[];
  /** Signs what is sent; null: nothing is signed. */
  secret: string | null;
  /** Signs, too, until then. */
  former: { secret: string; until: number } | null;
  /** Since when every attempt failed; null: the last one did not. */
  failingSince: number | null;
  /** The time until which the receiver wants no messages; null: it has not said so, or has accepted one since. */
  heldUntil: number | null;
  /** null: it is sent to. */
  off: { at: number; reason: string } | null;
  createdAt: number;
  createdBy: string;
};

/** `issue`: a new pattern of errors, or one that somebody had resolved. `storage`: so many per cent of a quota. */
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
  /** The query as written; '' for all entries, and for rules that are not about entries. */
  query: string;
  /** null: any of the project. */
  dataset: string | null;
  /** The field whose values have a state each. */
  by: string | null;
  windowSeconds: number;
  /** Ids of channels. */
  channels: readonly string[];
  mutedUntil: number | null;
  /**
   * When it was made, enabled, or asked something else, in milliseconds of the log store's clock: what arrived before is not judged. It
   * grows with every such change.
   */
  generation: number;
  createdAt: number;
  createdBy: string;
};

/** Someone who works on an alert, in words, and since when. */
type Acknowledgement = { by: string; at: number };

/** Since when a value fires. When a mute ends, it is reported if it still fires and nobody works on it. */
export type Firing = {
  value: string;
  since: number;
  count: number;
  isTold: boolean;
  /** Absent: nobody works on it. */
  acknowledged?: Acknowledgement;
};

/** The state of a rule between two looks. */
export type RuleMemory = {
  rule: string;
  /** The generation of the evaluated rule. */
  generation: number;
  /** The service's time; the windows know the log store's. */
  judgedAt: number;
  windows: RuleState;
  firing: readonly Firing[];
  lastFiredAt: number | null;
  /** Why the rule cannot be judged, or can find nothing. */
  trouble: string | null;
  /** When that was last reported. */
  troubleToldAt?: number;
  /** Paths of metadata that entries had, of those without which the rule finds nothing. Absent: nobody has looked. */
  fieldsSeen?: readonly string[];
  /** The one that entries have no longer. */
  fieldGone?: string | null;
  /** For rules about issues: patterns that came back, with the time they were resolved. Absent: none. */
  returned?: Readonly<Record<string, number>>;
};

/** A line of a rule's history. */
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
  /** The user who acknowledged it, in words; null: it fired or was resolved. */
  actor: string | null;
  /** Some of those that made it fire. */
  entries: readonly ToldEntry[];
};

/** `status` is null where there was no answer; `answer` is its first KiB, or why there was none. */
export type DeliveryAttempt = { at: number; status: number | null; answer: string; tookMs: number };

export type Delivery = {
  /** Sorts by time, and by what happened first. */
  id: string;
  project: string;
  channel: string;
  /** Notifications of one rule are sent in order; null: it belongs to none. */
  rule: string | null;
  type: string;
  /** The id for the receiver; repeats have the first one's. */
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
  /** A name that the project has already is `name_taken`. */
  insert(channel: Channel): Promise<void>;
  /** Replaces all but project, kind and making; a name that another has is `name_taken`. */
  update(channel: Channel): Promise<void>;
  /** With its deliveries. False when there was none. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<Channel | null>;
  /** Lists channels by name. */
  list(project: string): Promise<Channel[]>;
}

export interface RuleRecords {
  /** A name that the project has already is `name_taken`. */
  insert(rule: Rule): Promise<void>;
  /** Replaces all but project and making; a name that another has is `name_taken`. */
  update(rule: Rule): Promise<void>;
  /** Removes it with its watch and its history. False when there was none. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<Rule | null>;
  /** Lists rules by name. */
  list(project: string): Promise<Rule[]>;
  count(project: string): Promise<number>;
  /** Counts in all projects that are not deleted. */
  countEnabled(): Promise<number>;
  /** Lists those of all projects that are not deleted, by id. */
  listEnabled(): Promise<Rule[]>;
}

export interface RuleMemories {
  /** Lists those of one project, or with null of all. */
  list(project: string | null): Promise<RuleMemory[]>;
  find(rule: string): Promise<RuleMemory | null>;
  /** False, and nothing is kept, unless what is kept was judged then; null: unless there is none. */
  replace(watch: RuleMemory, judgedBefore: number | null): Promise<boolean>;
  record(changes: readonly RuleChange[]): Promise<void>;
  /** Newest first; `beforeId` continues a page. */
  listChanges(query: { rule: string; beforeId: string | null; limit: number }): Promise<RuleChange[]>;
}

export interface DeliveryRecords {
  insert(deliveries: readonly Delivery[]): Promise<void>;
  /** State, due time, attempts and end. */
  update(delivery: Delivery): Promise<void>;
  find(id: string): Promise<Delivery | null>;
  /** Newest first, of one channel and one rule or (null) of all; `beforeId` continues a page. */
  list(query: {
    project: string;
    channel: string | null;
    rule: string | null;
    beforeId: string | null;
    limit: number;
  }): Promise<Delivery[]>;
}

/** Deliveries that are pending, found by their channel. */
export interface OutboxRecords {
  /** Channels with something due that are neither switched off nor on hold. */
  listDueChannels(now: number): Promise<Pick<Channel, 'id' | 'project'>[]>;
  /** Lists the longest due first: notifications of rules, or all others. */
  listDue(query: { channel: string; now: number; isOfRules: boolean; limit: number }): Promise<Delivery[]>;
  /** Lists notifications of rules that were tried, due or not, and those that stand for several. */
  listBegun(channel: string): Promise<Delivery[]>;
  /** Lists notifications of rules that were never tried, without repeats, in order. */
  listFresh(query: { channel: string; afterId: string; limit: number }): Promise<Delivery[]>;
  /** Lists when messages of rules were tried since then, with any result. */
  listAttempts(channel: string, since: number): Promise<number[]>;
  endAsMerged(ids: readonly string[], at: number): Promise<void>;
  /** Makes waiting deliveries due. */
  hasten(channel: string, now: number): Promise<void>;
  /** Fails what waits for a channel that is switched off. */
  giveUpStranded(query: { createdBefore: number; now: number }): Promise<void>;
  /** Removes deliveries of the channel, ended ones included, and returns how many. Fewer than the limit: none are left. */
  removeSome(channel: string, limit: number): Promise<number>;
  /** Measures all projects; `failed` counts the given last milliseconds. */
  measure(query: { now: number; failedSinceMs: number }): Promise<OutboxMeasures>;
}

export type OutboxMeasures = {
  waiting: number;
  /** How long the oldest of them has been there. */
  oldestMs: number;
  failed: number;
  channelsOff: number;
};

/** Deliveries that ended, and lines of histories, from before the instant. */
export interface NotificationRecords {
  forgetBefore(at: number): Promise<void>;
}

export type AuditEntry = {
  id: string;
  at: number;
  /** The user who did it, in words. */
  actor: string;
  project: string | null;
  action: string;
  target: string;
  details: Readonly<Record<string, unknown>>;
};

/** All records of alerting, from inside one transaction or outside of any. */
export type AlertRecords = {
  channels: ChannelRecords;
  rules: RuleRecords;
  watches: RuleMemories;
  deliveries: DeliveryRecords;
  outbox: OutboxRecords;
  told: NotificationRecords;
  audit: { append(entry: AuditEntry): Promise<void> };
};

export interface AlertStore {
  /** Reads outside of a transaction; each sees every write acknowledged before it. */
  readonly read: AlertRecords;
  /** One transaction: all of the work or, when it throws, nothing. Resolves once it survives a power cut. */
  write<T>(work: (records: AlertRecords) => Promise<T>): Promise<T>;
  /** Grows with every change that an editor makes. */
  readAccessChanges(since: number): Promise<{ revision: number }>;
}
