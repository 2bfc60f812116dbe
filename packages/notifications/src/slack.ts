/** Composes a message for Slack's webhooks: blocks, and a short text for phone notifications and for services that accept Slack's format. */

import { asItIs, type Spelling, write, writeLine } from './escaping.ts';
import type { NotificationEvent } from './events.ts';
import { formatTime } from './formatting.ts';
import type { ComposedRequest } from './requests.ts';
import { drawSparkline } from './sparklines.ts';
import { type Fact, type Summary, summarize, type Tone } from './summaries.ts';

const signs: Record<Tone, string> = { firing: '🔴', resolved: '🟢', trouble: '🟠', plain: '🔵' };

/** Within Slack's limits: 150 in a header, 3,000 in a section, 2,000 in a section's field. */
const lengths = { header: 150, sentence: 600, line: 250, name: 120, words: 200, code: 700, entry: 1_500 };

export function composeSlack(event: NotificationEvent): ComposedRequest {
  const summary = summarize(event);
  const message = {
    text: composeText(summary),
    blocks: listBlocks(summary),
    unfurl_links: false,
    unfurl_media: false,
  };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) };
}

function composeText({ tone, state, subject, sentence, url }: Summary): string {
  const title = writeLine(`${state}: ${subject}`, lengths.header * 2, escapeSigns);
  return `${signs[tone]} ${title}\n${write(sentence, lengths.sentence, escapeSigns)}\n${composeLink(url)}`;
}

function listBlocks(summary: Summary): object[] {
  const { tone, state, subject, sentence, lines, facts, counts, url, urlWords } = summary;
  const title = writeLine(`${signs[tone]} ${state}: ${subject}`, lengths.header, asItIs);
  const said = [sentence, ...lines].map(line => writeLine(line, lengths.line, escapeMarkdown)).join('\n');
  const small = facts.filter(({ form }) => form === 'words');
  return [
    { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
    section(`${said}\n${composeLink(url, urlWords)}`),
    ...(small.length === 0 ? [] : [{ type: 'section', fields: small.map(composeField) }]),
    ...facts.filter(({ form }) => form === 'code').map(composeCode),
    ...(counts.length > 1 ? [section(`*Windows before*\n\`${drawSparkline(counts)}\``)] : []),
    ...composeEntries(summary),
    { type: 'context', elements: [composeFooter(summary)] },
  ];
}

function section(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

function composeField({ name, value }: Fact): object {
  const text = `*${writeLine(name, lengths.name, escapeMarkdown)}*\n${writeLine(value, lengths.words, escapeMarkdown)}`;
  return { type: 'mrkdwn', text };
}

function composeCode({ name, value }: Fact): object {
  return section(`*${writeLine(name, lengths.name, escapeMarkdown)}*\n${fence(value, lengths.code)}`);
}

function composeEntries({ entries }: Summary): object[] {
  return entries.map(({ at, level, resource, message }) => {
    const head = [level.toUpperCase(), formatTime(at), ...(resource ? [resource] : [])].join(' · ');
    return section(`${writeLine(head, lengths.name, escapeMarkdown)}\n${fence(message, lengths.entry)}`);
  });
}

function composeFooter({ project, at }: Summary): object {
  return { type: 'mrkdwn', text: writeLine(`${project} · ${formatTime(at)}`, lengths.words, escapeMarkdown) };
}

/** A bar would end the address, like an angle bracket. */
function composeLink(url: string, words?: string): string {
  const address = url
    .slice(0, 2_000)
    .replace(/[|<>\s]/gu, encodeURIComponent)
    .replace(/&/g, '&amp;');
  return words === undefined ? `<${address}>` : `<${address}|${words}>`;
}

function fence(text: string, lengthMax: number): string {
  return `\`\`\`\n${write(text, lengthMax, breakFences)}\n\`\`\``;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeSigns: Spelling = character => entities[character] ?? character;

const breakFences: Spelling = (character, before) =>
  character === '`' && before === '`' ? '\u200b`' : escapeSigns(character, before);

/** Slack has no escape character, so zero-width spaces separate bold, italic, strike and code marks from their words. */
const escapeMarkdown: Spelling = (character, before) =>
  /[*_~`]/.test(character) ? `\u200b${character}\u200b` : escapeSigns(character, before);
