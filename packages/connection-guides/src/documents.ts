/** The catalogue as documents: Markdown for the repository, a page for the service. */
import { guides } from './catalogue.ts';
import { type Connection, type Group, type Guide, groups, placeholderOf, type Snippet } from './guide.ts';

const exampleAddress = 'https://media.example.org';
const exampleDataset = 'default';

export function writeMarkdown(): string {
  const parts = groups.map(group => {
    const names = guidesOf(group).map(({ id, title }) => `[${title}](#${id})`);
    return `- ${group}: ${names.join(', ')}`;
  });
  const chapters = groups.map(group => `## ${group}\n\n${guidesOf(group).map(writeChapter).join('\n')}`);
  return `# Connecting tools

Settings for loggers, shippers, games and screenshot programs. The page “Connect” of a project in the dashboard fills in address and token, and shows when the
first entry or file has arrived. Here the service is \`${exampleAddress}\`, and \`YOUR_…_TOKEN\` stands for a token of the kind that is named; \`default\` is the
dataset. This file is written by \`npm run guides\`.

${parts.join('\n')}

${chapters.join('\n')}`;
}

function writeChapter(guide: Guide): string {
  const connection = exampleOf(guide, exampleAddress);
  const blocks = [
    ...(guide.install === null ? [] : [writeBlock('Install', 'sh', guide.install)]),
    ...guide.snippets.map(snippet => writeBlock(snippet.name, snippet.language, snippet.write(connection))),
    writeBlock(`Try it: ${guide.test.name}`, guide.test.language, guide.test.write(connection)),
  ];
  const notes = guide.notes.map(({ sees, means }) => `- **${sees}**: ${means}`);
  return `<a id="${guide.id}"></a>

### ${guide.title}

${guide.about} ${describeNeed(guide)}

${blocks.join('\n')}
${notes.length === 0 ? '' : `${notes.join('\n')}\n`}`;
}

function writeBlock(name: string, language: Snippet['language'], text: string): string {
  return `${name}:\n\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}

/** Settings for the service at this address, as a page without scripts. */
export function writePage(address: string): string {
  const contents = groups.map(
    group =>
      `<li>${escapeHtml(group)}: ${guidesOf(group)
        .map(({ id, title }) => `<a href="#${id}">${escapeHtml(title)}</a>`)
        .join(', ')}</li>`,
  );
  const chapters = groups.map(
    group =>
      `<h2>${escapeHtml(group)}</h2>${guidesOf(group)
        .map(guide => writeSection(guide, address))
        .join('')}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Connecting tools · Tapedeck</title><style>${style}</style></head><body>
<nav aria-label="Documents"><a href="/">Dashboard</a><a href="/docs/notifications">Notifications</a><a href="/docs/">API</a></nav><main><h1>Connecting tools</h1>
<p>Settings for this service. The page “Connect” of a project in the <a href="/">dashboard</a> puts a token in the place of
YOUR_…_TOKEN, and shows when the first entry or file has arrived. The API is described <a href="/docs/">here</a>.</p>
<ul>${contents.join('')}</ul>${chapters.join('')}</main></body></html>
`;
}

function writeSection(guide: Guide, address: string): string {
  const connection = exampleOf(guide, address);
  const block = (name: string, text: string) =>
    `<figure><figcaption>${escapeHtml(name)}</figcaption><pre tabindex="0">${escapeHtml(text.trimEnd())}</pre></figure>`;
  const notes = guide.notes.map(
    ({ sees, means }) => `<dt>${escapeHtml(sees)}</dt><dd>${escapeHtml(means)}</dd>`,
  );
  return `<section id="${guide.id}"><h3>${escapeHtml(guide.title)}</h3><p>${escapeHtml(guide.about)} ${escapeHtml(describeNeed(guide))}</p>
${guide.install === null ? '' : block('Install', guide.install)}
${guide.snippets.map(({ name, write }) => block(name, write(connection))).join('')}
${block(`Try it: ${guide.test.name}`, guide.test.write(connection))}
${notes.length === 0 ? '' : `<dl>${notes.join('')}</dl>`}</section>`;
}

function guidesOf(group: Group): Guide[] {
  return guides.filter(guide => guide.group === group);
}

function exampleOf(guide: Guide, address: string): Connection {
  return { address, token: placeholderOf(guide), dataset: exampleDataset, folder: '' };
}

function describeNeed({ token: { kind, actions, narrowedBy } }: Guide): string {
  const kept = narrowedBy.length === 0 ? '' : `, kept to one ${narrowedBy.join(' and one ')} if you like`;
  return `It needs a token of the kind ${kind} with the scope ${actions.join(', ')}${kept}.`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const style = `:root{color-scheme:light dark;--line:light-dark(#ddd8cf,#44403a);--well:light-dark(#f1eee8,#1b1917)}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:light-dark(#faf8f4,#24211e);color:light-dark(#2b2622,#ece8e2)}
main{max-width:54rem;margin:0 auto;padding:2rem 1rem;overflow-wrap:anywhere}ul{padding-left:1.25rem}a{color:inherit}
nav{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;max-width:54rem;margin:0 auto;padding:1rem;border-bottom:1px solid var(--line);font-size:.9rem}
section{border-top:1px solid var(--line);margin-top:1.5rem}figure{margin:1rem 0;border:1px solid var(--line);border-radius:8px}
figcaption{padding:.4rem .9rem;border-bottom:1px solid var(--line);font-size:.9rem}
pre{margin:0;padding:.9rem;overflow:auto;background:var(--well);font:13px/1.6 ui-monospace,monospace}dt{font-weight:600}dd{margin:0 0 .6rem}`;
