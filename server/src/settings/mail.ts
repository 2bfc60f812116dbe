/** Reads the mail settings. */

import { patterns } from '@tapedeck/domain/vocabulary';
import { readServer, type SmtpServer } from '@tapedeck/outgoing/mail';
import { SettingError } from '@tapedeck/values/settings';
import { nameSetting } from '../settings.ts';

export type MailChoice = { server: SmtpServer; from: { name: string; address: string } };

type MailTexts = { url: string | undefined; from: string | undefined; publicUrl: string | null };

/** Returns null without mail settings. If only the server is given, the sender is its login, or else the installation. */
export function readMail({ url, from, publicUrl }: MailTexts): MailChoice | null {
  if (url === undefined) {
    if (from !== undefined)
      throw new SettingError(nameSetting('SMTP_FROM'), 'needs TAPEDECK_SMTP_URL beside it');
    return null;
  }
  const server = readServer(url);
  if (server === null) {
    const remedy = 'must be smtp://host or smtps://host, with user:password@ in percent-encoding';
    throw new SettingError(nameSetting('SMTP_URL'), remedy);
  }
  if (from !== undefined && !isAddress(from))
    throw new SettingError(nameSetting('SMTP_FROM'), 'must be an email address');
  const user = server.credentials?.user ?? '';
  const { hostname } = new URL(publicUrl ?? 'http://localhost');
  const address = from ?? (isAddress(user) ? user : `tapedeck@${hostname}`);
  return { server, from: { name: 'Tapedeck', address } };
}

function isAddress(text: string): boolean {
  return new RegExp(patterns.email).test(text);
}
