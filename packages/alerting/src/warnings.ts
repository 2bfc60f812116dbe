/** Warns about rules and channels that work but may not do what their owners intend. */
import { chooseChannels } from './evaluation/transitions.ts';
import type { Channel, Rule } from './ports/records.ts';
import { findForeignTarget } from './targets.ts';

export type AlertWarning = { code: 'no_channel' | 'fires_often' | 'foreign_target'; message: string };

const firedOften = 1_000; // per week: six an hour, day and night, are too many to read

export function warnOfRule(rule: Rule, channels: readonly Channel[]): AlertWarning[] {
  const own = channels.filter(({ project }) => project === rule.project);
  const subscribed = chooseChannels(rule, 'rule.fired', own);
  if (subscribed.some(({ off }) => off === null)) return [];
  return [{ code: 'no_channel', message: describeSilence(rule, subscribed) }];
}

function describeSilence({ channels, severity }: Rule, subscribed: readonly Channel[]): string {
  const rest = 'so its alerts are shown only in the dashboard.';
  if (subscribed.length > 0) return `All channels of this rule are switched off, ${rest}`;
  if (channels.length > 0) return `No channel of this rule takes alerts of severity ${severity}, ${rest}`;
  return `This rule notifies no channel, ${rest}`;
}

export function warnOfFiring(fired: number): AlertWarning[] {
  if (fired < firedOften) return [];
  const message = `It would have fired ${fired.toLocaleString('en')} times in the last week. Choose a higher threshold, a longer window or a narrower query.`;
  return [{ code: 'fires_often', message }];
}

export function warnOfTarget({ kind, target }: Pick<Channel, 'kind' | 'target'>): AlertWarning[] {
  const message = findForeignTarget(kind, target);
  return message === null ? [] : [{ code: 'foreign_target', message }];
}
