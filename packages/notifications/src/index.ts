/** Composes notifications in the formats of their receivers. Does not store or send them. */
export { drawChart } from './chart/chart.ts';
export { composeDiscord } from './discord.ts';
export type {
  EventEntry,
  EventRule,
  MergedChange,
  MergedRulesEvent,
  NotificationEvent,
  RuleEvent,
  RuleTroubleEvent,
} from './events.ts';
export { type ComposedMail, composeMail } from './mail.ts';
export type { ComposedRequest } from './requests.ts';
export { readRetryAfter } from './retryAfter.ts';
export { makeSecret } from './signatures.ts';
export { composeSlack } from './slack.ts';
export { composeWebhook } from './webhook.ts';
