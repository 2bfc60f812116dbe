/** Senders of chat messages: they get an address here in the place of the platform's own. */
import type { Guide } from '../guide.ts';
import { postsMessages } from '../tokens.ts';

const group = 'Chat webhooks';
const words = ['discord', 'webhook', 'message', 'embed', 'chat'];

const notes = [
  {
    sees: 'A file is missing, and the message names it',
    means: 'It was no image, video or sound; the message itself is stored.',
  },
  { sees: '404 when a message is edited', means: 'Entries cannot be changed: send another message.' },
] as const;

const discordWebhook: Guide = {
  id: 'discord-webhook',
  title: 'Discord webhooks',
  group,
  about:
    'Anything that posts to a Discord webhook: change its address, and messages become entries, files are kept.',
  sends: 'both',
  words: [
    ...words,
    'bot',
    'uptime kuma',
    'grafana',
    'sonarr',
    'radarr',
    'esx',
    'qbcore',
    'txadmin',
    'minecraft',
    'anticheat',
  ],
  door: 'chat',
  token: postsMessages,
  install: null,
  snippets: [
    {
      name: 'Address in the place of https://discord.com/api/webhooks/…',
      language: 'text',
      write: ({ address, token, dataset }) => `${address}/api/webhooks/1/${token}?dataset=${dataset}`,
    },
  ],
  test: {
    name: 'A message with an embed',
    language: 'sh',
    write: ({
      address,
      token,
      dataset,
    }) => `curl -fsS '${address}/api/webhooks/1/${token}?dataset=${dataset}' \\
  -H 'Content-Type: application/json' \\
  -d '{"username":"anticheat","content":"Hello, tape","embeds":[{"title":"Kick","description":"speed hack","color":16711680}]}'`,
  },
  notes: [
    ...notes,
    {
      sees: 'The tool insists on discord.com',
      means:
        'Some check the address: look for a setting that turns this off, or use the tool’s generic webhook with the same address.',
    },
    {
      sees: 'An embed is info, but should be an error',
      means: 'Reds are error, oranges and yellows warn; or put &level=error at the end of the address.',
    },
  ],
};

const discordJs: Guide = {
  id: 'discord-js',
  title: 'discord.js',
  group,
  about: 'Its WebhookClient, with another base address.',
  sends: 'both',
  words: [...words, 'node', 'javascript', 'bot'],
  door: 'chat',
  token: { ...postsMessages, narrowedBy: ['folder'] },
  install: 'npm install discord.js',
  snippets: [
    {
      name: 'webhook.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token }) => `const { WebhookClient } = require('discord.js');

module.exports = new WebhookClient({ id: '1', token: '${token}' }, { rest: { api: '${address}/api' } });
`,
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write: () => `require('./webhook.js').send({ content: 'Hello, tape', username: 'my-app' });`,
  },
  notes,
};

const discordPy: Guide = {
  id: 'discord-py',
  title: 'discord.py',
  group,
  about: 'Its webhooks, with another base address.',
  sends: 'both',
  words: [...words, 'python', 'bot', 'discord-webhook'],
  door: 'chat',
  token: { ...postsMessages, narrowedBy: ['folder'] },
  install: 'pip install discord.py requests',
  snippets: [
    {
      name: 'webhook.py',
      language: 'python',
      isFile: true,
      write: ({ address, token }) => `import discord
import requests

discord.http.Route.BASE = "${address}/api/v10"
webhook = discord.SyncWebhook.partial(1, "${token}", session=requests.Session())
`,
    },
  ],
  test: {
    name: 'test.py',
    language: 'python',
    write: () => `from webhook import webhook

webhook.send("Hello, tape", username="my-app")`,
  },
  notes,
};

const slack: Guide = {
  id: 'slack-webhook',
  title: 'Slack webhooks',
  group,
  about: 'Anything that posts to a Slack webhook: texts and attachments become entries.',
  sends: 'logs',
  words: ['slack', 'mattermost', 'rocket.chat', 'webhook', 'alert', 'argo', 'ci', 'jenkins', 'sentry'],
  door: 'chat',
  token: { ...postsMessages, narrowedBy: ['dataset'] },
  install: null,
  snippets: [
    {
      name: 'Address in the place of https://hooks.slack.com/services/…',
      language: 'text',
      write: ({ address, token, dataset }) => `${address}/api/webhooks/1/${token}/slack?dataset=${dataset}`,
    },
  ],
  test: {
    name: 'A message with an attachment',
    language: 'sh',
    write: ({
      address,
      token,
      dataset,
    }) => `curl -fsS '${address}/api/webhooks/1/${token}/slack?dataset=${dataset}' \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"Hello, tape","attachments":[{"color":"danger","title":"Build failed","text":"main"}]}'`,
  },
  notes: [
    {
      sees: 'A message of blocks alone is refused',
      means: 'text and attachments are read; most tools send text beside their blocks.',
    },
  ],
};

const alertmanager: Guide = {
  id: 'alertmanager',
  title: 'Alertmanager',
  group,
  about: "Prometheus' alerts as entries, by its receiver for Discord.",
  sends: 'logs',
  words: ['prometheus', 'grafana', 'alert', 'monitoring', 'webhook', 'discord_configs'],
  door: 'chat',
  token: { ...postsMessages, narrowedBy: ['dataset'] },
  install: null,
  snippets: [
    {
      name: 'alertmanager.yml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `route:
  receiver: tapedeck

receivers:
  - name: tapedeck
    discord_configs:
      - webhook_url: ${address}/api/webhooks/1/${token}?dataset=${dataset}
        send_resolved: true
`,
    },
  ],
  test: {
    name: 'An alert by hand',
    language: 'sh',
    write: () => 'amtool alert add HelloTape severity=warning --alertmanager.url=http://localhost:9093',
  },
  notes: [
    { sees: 'Grafana’s own alerts', means: 'Add a contact point of the type Discord with this address.' },
  ],
};

export const chatGuides: readonly Guide[] = [discordWebhook, discordJs, discordPy, slack, alertmanager];
