/** Composes a message for Discord's webhooks: one embed, with the chart attached. */
import { createHash } from 'node:crypto';
import { type Spelling, write, writeLine } from './escaping.ts';
import type { NotificationEvent } from './events.ts';
import { toInstant, writeTimeOfDay } from './formatting.ts';
import type { ComposedRequest } from './requests.ts';
import { type Fact, type Summary, summarize, type Tone } from './summaries.ts';

const colours: Record<Tone, number> = {
  firing: 0xe5484d,
  resolved: 0x30a46c,
  trouble: 0xf5a524,
  plain: 0x5b7cfa,
};

/** Within Discord's limits: 256 in a title and a name, 4,096 in a description, 1,024 in a field. */
const lengths = {
  title: 256,
  sentence: 400,
  line: 180,
  link: 2_000,
  name: 120,
  words: 100,
  code: 350,
  entry: 1_000,
};

/** Limit for all texts of an embed together; entries get the space that is left. */
const embedLengthMax = 6_000;

const pictureName = 'chart.png';

/** `chartPng` comes from `drawChart`. */
export function composeDiscord(
  event: NotificationEvent,
  { chartPng }: { chartPng: Uint8Array | null },
): ComposedRequest {
  const summary = summarize(event);
  const embed = {
    ...composeEmbed(summary),
    ...(chartPng === null ? {} : { image: { url: `attachment://${pictureName}` } }),
  };
  const message = { embeds: [embed], allowed_mentions: { parse: [] } };
  if (chartPng === null)
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) };
  const attachments = [{ id: 0, filename: pictureName, description: 'Counts in earlier windows' }];
  return composeForm(JSON.stringify({ ...message, attachments }), chartPng);
}

function composeEmbed(summary: Summary): object {
  const { tone, state, subject, at, project } = summary;
  const url = shorten(summary.url);
  const texts = {
    title: writeLine(`${state}: ${subject}`, lengths.title, escapeMarkdown),
    description: describe(summary, url),
    footer: { text: writeLine(project, lengths.name) },
  };
  const facts = summary.facts.map(composeFact);
  const taken = [texts.title, texts.description, texts.footer.text, ...facts.flatMap(listTexts)].join(
    '',
  ).length;
  return {
    ...texts,
    ...(isLinkable(url) ? { url } : {}),
    color: colours[tone],
    fields: [...facts, ...composeEntries(summary.entries, embedLengthMax - taken)],
    timestamp: toInstant(at),
  };
}

function describe({ sentence, lines, urlWords }: Summary, url: string): string {
  return [
    write(sentence, lengths.sentence, escapeMarkdown),
    ...lines.map(line => writeLine(line, lengths.line, escapeMarkdown)),
    /[\s<>()]/.test(url) ? url : `[${urlWords}](${url})`,
  ].join('\n');
}

/** Half a link is useless, so a long one links to the page without the query. */
function shorten(url: string): string {
  return url.length <= lengths.link ? url : url.replace(/[?#].*$/s, '').slice(0, lengths.link);
}

/** Discord refuses a whole message if the title's link has a host without a dot, such as localhost. */
function isLinkable(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).hostname.includes('.');
}

type Field = { name: string; value: string; inline: boolean };

const listTexts = ({ name, value }: Field) => [name, value];

function composeFact({ name, value, form }: Fact): Field {
  return {
    name: writeLine(name, lengths.name, escapeMarkdown) || '-',
    value:
      form === 'code' ? fence(value, lengths.code) : writeLine(value, lengths.words, escapeMarkdown) || '-',
    inline: form === 'words',
  };
}

function composeEntries(entries: Summary['entries'], lengthMax: number): Field[] {
  const share = Math.floor(lengthMax / entries.length) - lengths.name - fence('', 0).length;
  return entries.map(({ at, level, resource, message }) => ({
    name: writeLine(
      [level.toUpperCase(), `${writeTimeOfDay(at)} UTC`, ...(resource ? [resource] : [])].join(' · '),
      lengths.name,
      escapeMarkdown,
    ),
    value: fence(message, Math.min(share, lengths.entry)),
    inline: false,
  }));
}

function fence(text: string, lengthMax: number): string {
  return `\`\`\`\n${write(text, lengthMax, breakFences)}\n\`\`\``;
}

/** Separates adjacent backticks, so that they cannot end a code block. */
const breakFences: Spelling = (character, before) =>
  character === '`' && before === '`' ? '\u200b`' : character;

/** Colons can begin links and pictures; at signs and angle brackets can begin mentions. */
const escapeMarkdown: Spelling = character =>
  /[\\`*_~|>[\]()<#@:-]/.test(character) ? `\\${character}` : character;

/** Derives the boundary from the content, so that a repeat has the same bytes and the content cannot contain the boundary. */
function composeForm(payload: string, picture: Uint8Array): ComposedRequest {
  const boundary = `tapedeck-${createHash('sha256').update(payload).update(picture).digest('hex')}`;
  const head = (disposition: string, type: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(head('name="payload_json"', 'application/json') + payload),
    Buffer.from(`\r\n${head(`name="files[0]"; filename="${pictureName}"`, 'image/png')}`),
    picture,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body };
}
