/** The HTML page in the evidence: readable offline and on paper. It has no scripts and escapes everything. */
import { formatMicros } from '@tapedeck/log-entries';
import type { StoredFile } from '../../ports/files.ts';
import type { LogEntry } from '../../ports/logQueries.ts';
import type { SignedNote } from '../notes.ts';
import type { ManifestHead } from './manifest.ts';

const rowsMax = 2_000; // of each kind; more slows browsers down, and entries.csv has all
const textCharactersMax = 2_000; // per body and per metadata

/** Collects the first rows while the archive is written, and composes the page at the end. */
export class EvidencePage {
  #rows: { micros: number; html: string }[] = [];
  #entries = 0;
  #files = 0;
  #missing = 0;
  #notes: readonly SignedNote[] = [];

  addEntry(entry: LogEntry): void {
    if (++this.#entries > rowsMax) return;
    const { timestampMicros, level, resource, dataset, body, metadata } = entry;
    const details =
      Object.keys(metadata).length === 0 ? '' : `<small>${escapeText(cut(JSON.stringify(metadata)))}</small>`;
    const source = [dataset, resource].filter(text => text !== '').join(' · ');
    this.#add(
      timestampMicros,
      `<td class="${level}">${level}</td><td>${escapeText(source)}</td><td><p>${escapeText(cut(body))}</p>${details}</td>`,
    );
  }

  /** `path`: where its bytes are in the archive. */
  addFile(file: StoredFile, path: string): void {
    this.#addFileRow(file, path);
  }

  /** Adds a file deleted while the archive was made; null: its record is gone too. */
  addMissing(file: StoredFile | null): void {
    this.#missing++;
    if (file === null) this.#files++;
    else this.#addFileRow(file, null);
  }

  #addFileRow(file: StoredFile, path: string | null): void {
    if (++this.#files > rowsMax) return;
    const details = `<small>${escapeText(cut(JSON.stringify(file.metadata)))}</small>`;
    this.#add(
      file.listedAt * 1000,
      `<td class="file">${file.type}</td><td>${escapeText(file.path)}</td><td>${showFile(file, path)}${details}</td>`,
    );
  }

  addNotes(notes: readonly SignedNote[]): void {
    this.#notes = notes;
  }

  #add(micros: number, cells: string): void {
    this.#rows.push({ micros, html: `<tr><td><time>${formatMicros(micros)}</time></td>${cells}</tr>\n` });
  }

  compose(head: ManifestHead): string {
    const rows = this.#rows.toSorted((one, other) => one.micros - other.micros);
    const left = Math.max(0, this.#entries - rowsMax) + Math.max(0, this.#files - rowsMax);
    return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; media-src 'self' file:">
<meta name="viewport" content="width=device-width">
<title>Evidence of ${escapeText(head.project)}</title>
<style>${styles}</style>
<h1>Evidence</h1>
<dl>${listFacts(head)}
<dt>Holds</dt><dd>${count(this.#entries, 'log entry', 'log entries')}, ${count(this.#files, 'file', 'files')}${this.#missing === 0 ? '' : `; ${count(this.#missing, 'file was', 'files were')} deleted while this was made`}</dd></dl>
<p>To check that nothing in this archive was changed, run <code>tapedeck evidence verify</code>. Times are UTC.</p>
${left === 0 ? '' : `<p><strong>${count(left, 'more row is', 'more rows are')} in entries.csv and the folder files.</strong></p>\n`}${this.#notes.map(showNote).join('')}<table>
<thead><tr><th>Time</th><th>What</th><th>Where</th><th>Content</th></tr></thead>
<tbody>
${rows.map(({ html }) => html).join('')}</tbody>
</table>
`;
  }
}

const kinds = { entry: 'log entries alone', file: 'files alone' } as const;

function listFacts({
  project,
  query,
  from,
  to,
  kind,
  createdAt,
  createdBy,
  publicKey,
}: ManifestHead): string {
  const facts = [
    ['Project', project],
    ['Query', query === '' ? 'everything' : query],
    ['Asked for', kind === null ? 'log entries and files' : kinds[kind]],
    ['From', from ?? 'the beginning'],
    ['To', to ?? 'the end'],
    ['Made', `${createdAt} by ${createdBy}`],
    ['Key', publicKey],
  ] as const;
  return facts.map(([name, text]) => `<dt>${name}</dt><dd>${escapeText(text)}</dd>`).join('\n');
}

function showNote({ text, authorName, createdAt, editedAt }: SignedNote, index: number): string {
  const times = [createdAt, ...(editedAt === null ? [] : [editedAt])].map(at => formatMicros(at * 1000));
  return `${index === 0 ? '<h2>Notes by the team</h2>\n' : ''}<section class="note"><p>${escapeText(text)}</p><small>${escapeText(authorName)}, <time>${times.join('</time>, edited <time>')}</time></small></section>
`;
}

function showFile(file: StoredFile, path: string | null): string {
  const name = escapeText(file.filename);
  if (path === null) return `<p>${name} (deleted)</p>`;
  const address = path.split('/').map(encodeURIComponent).join('/');
  const link = `<p><a href="${address}">${name}</a></p>`;
  if (file.type === 'image')
    return `${link}<a href="${address}"><img src="${address}" alt="${name}" loading="lazy"></a>`;
  return `${link}<${file.type} src="${address}" controls preload="none"></${file.type}>`;
}

function count(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}

function cut(text: string): string {
  return text.length <= textCharactersMax ? text : `${text.slice(0, textCharactersMax)}… (cut)`;
}

const signs: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also escapes marks that reverse text, because they would misrepresent it. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, sign => signs[sign] ?? '')
    .replaceAll(
      /[\u202a-\u202e\u2066-\u2069]/g,
      mark => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`,
    );
}

const styles = `
body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#111;background:#fff}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
h2{font-size:1.1em}.note{border-left:3px solid #ccc;padding:.1rem .7rem;margin:.6rem 0}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid #ccc}
td p,.note p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}small{color:#444;overflow-wrap:anywhere}time{white-space:nowrap}
img,video{max-width:24rem;max-height:16rem;display:block;margin:.3rem 0}.error{color:#a00;font-weight:600}.warn{color:#850}
@media print{body{margin:0;max-width:none;font-size:10pt}tr{break-inside:avoid}audio,video{display:none}a{color:inherit}}
`;
