/** Recognises targets that are not webhooks of the channel's service. Imports nothing, so that browsers can use it. */
import type { ChannelKind } from './kinds.ts';

type Service = { name: string; hosts: RegExp; path: RegExp; example: string };

const services: Readonly<Partial<Record<ChannelKind, Service>>> = {
  discord: {
    name: 'Discord',
    hosts: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/,
    path: /^\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+\/?$/,
    example: 'https://discord.com/api/webhooks/…',
  },
  slack: {
    name: 'Slack',
    hosts: /^hooks\.slack(?:-gov)?\.com$/,
    path: /^\/(?:services|workflows|triggers)\/\w+(?:\/\w+)+\/?$/,
    example: 'https://hooks.slack.com/services/…',
  },
};

/** Returns an error message for a target that is not a webhook of its service; null: the target is fine. */
export function findForeignTarget(kind: ChannelKind, target: string): string | null {
  const service = services[kind];
  if (service === undefined) return null;
  const { name, hosts, path, example } = service;
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url !== null && url.protocol === 'https:' && hosts.test(url.hostname) && path.test(url.pathname))
    return null;
  return `This is not a ${name} webhook URL, such as ${example}. It works only if it accepts the same requests as ${name}.`;
}
