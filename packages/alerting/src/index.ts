/** The package's interface: alert rules, their evaluation, and the delivery of notifications. */
export { acknowledgeAlert } from './acknowledgements.ts';
export {
  type ChannelDeps,
  createChannel,
  deleteChannel,
  rotateChannel,
  testChannel,
  updateChannel,
} from './channels.ts';
export type { DeliveringDeps } from './delivery/channelQueue.ts';
export { deliver } from './delivery/outboxWorker.ts';
export { evaluateRules, type WatchDeps, type WatchProgress } from './evaluation/evaluator.ts';
export { AlertingFailure } from './failures.ts';
export { listDeliveries, readOutbox, repeatDelivery } from './outbox.ts';
export type { Clock } from './ports/clock.ts';
export type { AuditLine, Change, Editor } from './ports/editor.ts';
export type { DecidedIssue, Facts, QuotaUse } from './ports/facts.ts';
export type { Arrivals, StoredEntries } from './ports/logQueries.ts';
export type { Message, Notifier, Posted, Receipt } from './ports/notifier.ts';
export type {
  AlertRecords,
  AlertStore,
  AuditEntry,
  Channel,
  ChannelRecords,
  Delivery,
  DeliveryAttempt,
  DeliveryRecords,
  DueTimes,
  Firing,
  NotificationRecords,
  OutboxMeasures,
  OutboxRecords,
  Rule,
  RuleChange,
  RuleCondition,
  RuleMemories,
  RuleMemory,
  RuleRecords,
} from './ports/records.ts';
export { type PreviewDeps, previewRule, type RulePreview } from './previews/previews.ts';
export { deleteNotifications, removeDeliveries, removeOld } from './removal.ts';
export { type RuleRequest, readQuestion } from './ruleQueries.ts';
export {
  changeRule,
  createRule,
  deleteRule,
  getRule,
  listHistory,
  listRules,
  type RuleDeps,
  type RuleInput,
  type ShownRule,
  updateRule,
} from './rules.ts';
export { type AlertWarning, warnOfFiring, warnOfRule, warnOfTarget } from './warnings.ts';
export { emptyState, type RuleState, type Tally, type Transition } from './windows/states.ts';
export { advance, type WatchedRule } from './windows/windowEvaluation.ts';
