/** Composes a mail from an event: text, and HTML with colours and the chart. Opening it loads nothing. */

import { type Spelling, write, writeLine } from './escaping.ts';
import type { NotificationEvent } from './events.ts';
import { formatTime } from './formatting.ts';
import { drawSparkline } from './sparklines.ts';
import { type Summary, summarize, type Tone } from './summaries.ts';

export type ComposedMail = {
  /** One line. */
  subject: string;
  text: string;
  html: string;
  /** Shown in the HTML, which refers to them by `cid`. */
  pictures: { cid: string; contentType: string; content: Uint8Array }[];
};

const colours: Record<Tone, string> = {
  firing: '#d93036',
  resolved: '#26845a',
  trouble: '#b86b00',
  plain: '#3f5fd8',
};
const lengths = { subject: 180, text: 2_000, line: 300 };
const chartCid = 'chart@tapedeck';

/** `chartPng` comes from `drawChart`. */
export function composeMail(
  event: NotificationEvent,
  { chartPng }: { chartPng: Uint8Array | null },
): ComposedMail {
  const summary = summarize(event);
  const { state, subject, project } = summary;
  return {
    subject: writeLine(`[${state}] ${subject} (${project})`, lengths.subject),
    text: composeText(summary),
    html: composeHtml(summary, chartPng !== null),
    pictures: chartPng === null ? [] : [{ cid: chartCid, contentType: 'image/png', content: chartPng }],
  };
}

function composeText(summary: Summary): string {
  const { state, subject, sentence, lines, facts, entries, counts, url, urlWords, at, project } = summary;
  const indent = (text: string) => write(text, lengths.text).replace(/^/gm, '    ');
  return [
    writeLine(`${state}: ${subject}`, lengths.line),
    write(sentence, lengths.text),
    lines.map(line => writeLine(line, lengths.line)).join('\n'),
    facts
      .map(({ name, value }) => `${writeLine(name, lengths.line)}: ${writeLine(value, lengths.text)}`)
      .join('\n'),
    counts.length > 1 ? `Windows before: ${drawSparkline(counts)}` : '',
    ...entries.map(entry => `${headEntry(entry)}\n${indent(entry.message)}`),
    `${urlWords}: ${url}`,
    `${writeLine(project, lengths.line)}, ${formatTime(at)}`,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

function headEntry({ level, at, resource }: Summary['entries'][number]): string {
  return writeLine(
    [level.toUpperCase(), formatTime(at), ...(resource ? [resource] : [])].join(' · '),
    lengths.line,
  );
}

const quiet = 'color:#6b7280;font-size:13px';
const codeStyle =
  'margin:0;padding:10px 12px;background:#f4f5f7;border-radius:6px;font:13px/1.45 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;word-break:break-word';

/** Uses tables and inline styles, which all mail programs support. */
function composeHtml(summary: Summary, hasChart: boolean): string {
  const { tone, state, subject, sentence, lines, facts, entries, url, urlWords, at, project } = summary;
  const colour = colours[tone];
  const rows = [
    `<p style="margin:0;color:${colour};font-weight:600">${line(state)}</p>`,
    `<h1 style="margin:2px 0 10px;font-size:20px;line-height:1.3">${line(subject)}</h1>`,
    `<p style="margin:0 0 14px">${line(sentence)}</p>`,
    ...lines.map(text => `<p style="margin:0 0 4px">${line(text)}</p>`),
    hasChart
      ? `<img src="cid:${chartCid}" width="560" alt="Counts in earlier windows" style="display:block;width:100%;max-width:560px;height:auto;border-radius:8px;margin:0 0 14px">`
      : '',
    composeFacts(facts),
    ...entries.map(
      entry =>
        `<p style="margin:12px 0 4px;${quiet}">${line(headEntry(entry))}</p><pre style="${codeStyle}">${block(entry.message)}</pre>`,
    ),
    `<p style="margin:18px 0"><a href="${escapeAttribute(url)}" style="display:inline-block;padding:10px 16px;background:${colour};color:#ffffff;border-radius:6px;text-decoration:none;font-weight:600">${line(urlWords)}</a></p>`,
    `<p style="margin:0;${quiet}">${line(project)} · ${formatTime(at)}</p>`,
  ];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${line(subject)}</title></head><body style="margin:0;padding:16px;background:#eef0f3">`,
    '<table role="presentation" cellpadding="0" cellspacing="0" width="100%"><tr><td align="center">',
    '<table role="presentation" cellpadding="0" cellspacing="0" width="100%" style="max-width:600px;background:#ffffff;border-radius:10px;',
    `border-top:4px solid ${colour};color:#1f2430;font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">`,
    `<tr><td style="padding:20px">${rows.filter(row => row !== '').join('\n')}</td></tr></table></td></tr></table></body></html>`,
  ].join('\n');
}

function composeFacts(facts: Summary['facts']): string {
  const rows = facts.map(({ name, value, form }) => {
    const shown = form === 'code' ? `<code>${block(value)}</code>` : line(value);
    return `<tr><td style="padding:3px 16px 3px 0;${quiet};white-space:nowrap;vertical-align:top">${line(name)}</td><td style="padding:3px 0;word-break:break-word">${shown}</td></tr>`;
  });
  return rows.length === 0
    ? ''
    : `<table role="presentation" cellpadding="0" cellspacing="0">${rows.join('')}</table>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const spell: Spelling = character => entities[character] ?? character;

function line(text: string): string {
  return writeLine(text, lengths.line * 2, spell);
}

function block(text: string): string {
  return write(text, lengths.text * 2, spell);
}

function escapeAttribute(url: string): string {
  return url.replace(/[&<>"']/g, character => entities[character]!);
}
