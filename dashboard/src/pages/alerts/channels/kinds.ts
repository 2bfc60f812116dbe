/** The kinds of channels: their names, and how to find their addresses. */
import type { ChannelEvent, ChannelKind } from '@tapedeck/client';

type KindWords = {
  name: string;
  meaning: string;
  targetLabel: string;
  placeholder: string;
  /** Explains how to find the address. */
  how: string;
};

export const kindWords: Readonly<Record<ChannelKind, KindWords>> = {
  discord: {
    name: 'Discord',
    meaning: 'A message in a channel, with a chart.',
    targetLabel: 'Webhook URL',
    placeholder: 'https://discord.com/api/webhooks/…',
    how: 'In Discord: Channel settings → Integrations → Webhooks → New Webhook → Copy Webhook URL.',
  },
  slack: {
    name: 'Slack',
    meaning: 'A message in a channel.',
    targetLabel: 'Webhook URL',
    placeholder: 'https://hooks.slack.com/services/…',
    how: 'In Slack: create an app (api.slack.com/apps), turn on Incoming Webhooks, add one to your channel, and copy its URL.',
  },
  webhook: {
    name: 'Webhook',
    meaning: 'Signed JSON to your own program.',
    targetLabel: 'Address',
    placeholder: 'https://example.com/hooks/tapedeck',
    how: 'Any URL that accepts JSON POST requests. Requests are signed (Standard Webhooks); you get the secret after creating the channel.',
  },
  email: {
    name: 'Email',
    meaning: 'An email to one or a few people.',
    targetLabel: 'Email addresses',
    placeholder: 'ops@example.com, night@example.com',
    how: 'Separate with commas. Needs a mail server (TAPEDECK_SMTP_URL).',
  },
};

export const eventWords: Readonly<Record<ChannelEvent, string>> = {
  'file.created': 'a file is uploaded',
  'file.deleted': 'a file is deleted',
  'session.opened': 'a server starts reporting',
  'session.ended': 'a server stops reporting',
  'rule.fired': 'any rule fires',
  'rule.resolved': 'any rule is resolved',
};
