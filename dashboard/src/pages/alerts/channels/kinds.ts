/** The kinds of channels: what they are called, and how somebody comes by their addresses. */
import type { ChannelEvent, ChannelKind } from '@tapedeck/client';

type KindWords = {
  name: string;
  meaning: string;
  targetLabel: string;
  placeholder: string;
  /** Where the address is found. */
  how: string;
};

export const kindWords: Readonly<Record<ChannelKind, KindWords>> = {
  discord: {
    name: 'Discord',
    meaning: 'A message in a channel, with a chart.',
    targetLabel: 'Webhook URL',
    placeholder: 'https://discord.com/api/webhooks/…',
    how: 'In Discord: the settings of the channel, Integrations, Webhooks, New Webhook, Copy Webhook URL.',
  },
  slack: {
    name: 'Slack',
    meaning: 'A message in a channel.',
    targetLabel: 'Webhook URL',
    placeholder: 'https://hooks.slack.com/services/…',
    how: 'In Slack: create an app (api.slack.com/apps), switch on Incoming Webhooks, add one to your channel, and copy its URL.',
  },
  webhook: {
    name: 'Webhook',
    meaning: 'JSON to a program of yours, signed.',
    targetLabel: 'Address',
    placeholder: 'https://example.com/hooks/tapedeck',
    how: 'Any address that takes POST requests with JSON. Each is signed as Standard Webhooks says; the secret is shown once the channel is made.',
  },
  email: {
    name: 'E-mail',
    meaning: 'A mail to one or a few people.',
    targetLabel: 'E-mail addresses',
    placeholder: 'ops@example.com, night@example.com',
    how: 'Separated by commas. The installation needs a mail server for it (TAPEDECK_SMTP_URL).',
  },
};

export const eventWords: Readonly<Record<ChannelEvent, string>> = {
  'file.created': 'a file came',
  'file.deleted': 'a file went',
  'session.opened': 'a server reports',
  'session.ended': 'a server no longer reports',
  'rule.fired': 'any rule fires',
  'rule.resolved': 'any rule is resolved',
};
