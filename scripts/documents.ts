/**
 * Writes the documents that repeat tables of the code: docs/configuration.md, docs/cli.md, docs/errors.md, and marked places in docs/logs.md and docs/uploads.md; and
 * dashboard/SENTENCES.md. With --check, only tells whether they are fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandWords } from '@tapedeck/command-line';
import { errorStatuses } from '@tapedeck/contract/vocabulary';
import { languageExamples } from '@tapedeck/log-query-language/description';
import { mediaFormats } from '@tapedeck/media-facts';
import { commands } from '../server/src/commands/index.ts';
import { nameSetting, settings } from '../server/src/settings.ts';
import { type ErrorArea, errorAreas } from './errorMeanings.ts';
import { printSentences } from './sentences.ts';

const folder = path.join(import.meta.dirname, '../docs');
const command = 'npm run documents';

/** Each document, and how to renew it. */
const documents: Readonly<Record<string, (text: string) => string>> = {
  'configuration.md': text => fill(text, 'settings', printSettings()),
  'cli.md': text => fill(text, 'commands', commands.map(printCommand).join('\n\n')),
  'errors.md': text => fill(text, 'errors', errorAreas.map(printErrors).join('\n\n')),
  'logs.md': text => fill(text, 'language', printLanguage()),
  'uploads.md': text => fill(text, 'formats', printFormats()),
  '../dashboard/SENTENCES.md': () => printSentences(),
};

async function findStaleDocuments(): Promise<[file: string, text: string][]> {
  const renewed = Object.entries(documents).map(async ([name, renew]): Promise<[string, string][]> => {
    const file = path.join(folder, name);
    const text = await readFile(file, 'utf8');
    return renew(text) === text ? [] : [[file, renew(text)]];
  });
  return (await Promise.all(renewed)).flat();
}

export async function areDocumentsFresh(): Promise<boolean> {
  return (await findStaleDocuments()).length === 0;
}

/** Replaces the text between `<!-- name … -->` and `<!-- / -->`. */
function fill(text: string, name: string, content: string): string {
  const place = new RegExp(`(<!-- ${name}\\b.*-->\n)[\\s\\S]*?(\n<!-- / -->)`);
  if (!place.test(text)) throw new Error(`No document has the place <!-- ${name} -->.`);
  return text.replace(place, (_, before: string, after: string) => `${before}\n${content}\n${after}`);
}

function printSettings(): string {
  return printTable(
    ['Setting', 'Default', 'Meaning'],
    settings.map(setting => [`\`${nameSetting(setting.name)}\``, setting.default, setting.about]),
  );
}

function printCommand({ name, usage, about, options }: CommandWords): string {
  const rows = Object.entries(options).map(([option, { short, type, values, about: phrase }]) => {
    const value = type === 'boolean' ? '' : ` ${values?.join('|') ?? 'VALUE'}`;
    const flags = short === undefined ? `--${option}` : `-${short}, --${option}`;
    return [`\`${flags}${value}\``, phrase];
  });
  const shown = [`## ${name}`, `\`\`\`\n${`tapedeck ${name} ${usage}`.trim()}\n\`\`\``, about];
  if (rows.length > 0) shown.push(printTable(['Option', 'Meaning'], rows));
  return shown.join('\n\n');
}

function printErrors({ title, meanings }: ErrorArea): string {
  const rows = meanings.map(([code, meaning]) => [`\`${code}\``, String(errorStatuses[code]), meaning]);
  return `## ${title}\n\n${printTable(['Code', 'Status', 'Meaning'], rows)}`;
}

function printLanguage(): string {
  return printTable(
    ['Query', 'Finds'],
    languageExamples.map(([text, finds]) => [`\`${text}\``, finds]),
  );
}

function printFormats(): string {
  const titles = [...new Set(mediaFormats.map(({ title }) => title))]; // a title may occur twice: WebM is audio or video
  return `Accepted formats: ${titles.slice(0, -1).join(', ')} and ${titles.at(-1)}.`;
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

if (import.meta.main) {
  const stale = await findStaleDocuments();
  if (!process.argv.includes('--check'))
    await Promise.all(stale.map(([file, text]) => writeFile(file, text)));
  else if (stale.length > 0) {
    const names = stale.map(([file]) => path.relative(path.join(folder, '..'), file)).join(', ');
    console.error(`Stale: ${names}. Run \`${command}\`.`);
    process.exitCode = 1;
  }
}
