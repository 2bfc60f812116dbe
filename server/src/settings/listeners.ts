/** Reads the settings of listeners besides HTTP. Each needs addresses to listen on, and the token under which it stores. */
import { SettingError } from '@tapedeck/values/settings';
import { nameSetting } from '../settings.ts';
import type { Values } from './values.ts';

export type ListenAddress = { transport: 'udp' | 'tcp'; host: string; port: number };

type ListenerName = 'SYSLOG' | 'FORWARD';

export type ListenerChoices = {
  syslog: { places: readonly ListenAddress[]; token: string } | null;
  forward: { place: ListenAddress; token: string } | null;
};

type ReadToken = (name: string, value: string | undefined) => string | null;

/** Without its own token, a listener uses the logs token of the settings. */
export function readListeners({ given, readGiven }: Values, readToken: ReadToken): ListenerChoices {
  const logsToken = readGiven('LOGS_TOKEN', readToken);
  const syslogToken = readGiven('SYSLOG_TOKEN', readToken);
  const forwardToken = readGiven('FORWARD_TOKEN', readToken);
  const syslog = given('SYSLOG');
  const forward = given('FORWARD');
  if (syslog === undefined) refuseLonely('SYSLOG', syslogToken);
  if (forward === undefined) refuseLonely('FORWARD', forwardToken);
  return {
    syslog:
      syslog === undefined
        ? null
        : {
            places: syslog.split(',').map(place => readPlace('SYSLOG', place.trim(), ['udp', 'tcp'])),
            token: requireToken('SYSLOG', syslogToken ?? logsToken),
          },
    forward:
      forward === undefined
        ? null
        : {
            place: readPlace('FORWARD', forward.trim(), ['tcp']),
            token: requireToken('FORWARD', forwardToken ?? logsToken),
          },
  };
}

function refuseLonely(name: ListenerName, token: string | null): void {
  if (token === null) return;
  throw new SettingError(nameSetting(`${name}_TOKEN`), `needs ${nameSetting(name)} beside it`);
}

function readPlace(
  name: ListenerName,
  text: string,
  transports: readonly ListenAddress['transport'][],
): ListenAddress {
  const [, scheme, host = '', digits = ''] =
    /^(\w+):\/\/(\[[\da-fA-F:.]+\]|[\w.-]+):(\d{1,5})\/?$/.exec(text) ?? [];
  const transport = transports.find(each => each === scheme);
  const port = Number(digits);
  if (transport === undefined || port > 65_535) {
    const example = transports.map(each => `${each}://0.0.0.0:5514`).join(',');
    throw new SettingError(nameSetting(name), `must be transport, address and port, such as ${example}`);
  }
  return { transport, host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

function requireToken(name: ListenerName, token: string | null): string {
  if (token !== null) return token;
  throw new SettingError(
    nameSetting(name),
    `needs ${nameSetting(`${name}_TOKEN`)} (or ${nameSetting('LOGS_TOKEN')}), a token of the kind logs`,
  );
}
