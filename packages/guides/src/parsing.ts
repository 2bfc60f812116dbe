/** Parses a guide: front matter, a sentence, a code block under each heading, and a list of problems with their causes. */
import { type Guide, groups, languages, protocols, type Snippet } from './guide.ts';
import { fillTemplate } from './template.ts';

const installHeading = 'Install';
const testHeading = 'Try it: ';
const notesHeading = 'If something goes wrong';

/** Throws a sentence that names the guide if something is missing or unknown. */
export function parseGuide(id: string, text: string): Guide {
  const need: Need = (value, what) => {
    if (value === undefined || value === null) throw new Error(`The guide ${id}.md lacks ${what}.`);
    return value;
  };
  const [, head, body] = need(/^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text), 'front matter');
  const [opening = '', ...sections] = need(body, 'a text').split(/^## /m);
  const [, title, about] = need(
    /^\s*# (.+)\n\n(.+)\s*$/.exec(opening),
    'a heading "# …" with one line of text under it',
  );
  const [install, notes] = [installHeading, notesHeading].map(heading =>
    sections.find(section => section.startsWith(`${heading}\n`)),
  );
  const test = need(
    sections.find(section => section.startsWith(testHeading)),
    `a section "## ${testHeading}…"`,
  );
  return {
    id,
    title: need(title, 'a title'),
    ...parseHead(need(head, 'front matter'), need),
    about: need(about, 'a sentence'),
    install: install === undefined ? null : parseBlock(install, need).template,
    snippets: sections
      .filter(section => ![install, test, notes].includes(section))
      .map(section => parseSnippet(section, need)),
    test: parseSnippet(test.slice(testHeading.length), need),
    notes: notes === undefined ? [] : parseNotes(notes.slice(notesHeading.length), need),
    text: need(body, 'a text').trim(),
  };
}

const fieldNames = ['group', 'order', 'sends', 'protocol', 'token', 'narrowed by', 'words'] as const;

/** Throws unless there is a value. */
type Need = <Value>(value: Value | undefined | null, what: string) => Value;

function parseHead(
  head: string,
  need: Need,
): Pick<Guide, 'group' | 'order' | 'sends' | 'protocol' | 'words' | 'token'> {
  const fields = new Map(
    head
      .split('\n')
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  for (const name of fields.keys()) findWord(name, fieldNames, need);
  const field = (name: string) => need(fields.get(name), `"${name}:" in its front matter`);
  const [kind, ...actions] = field('token').split(' ');
  const limits = fields.get('narrowed by')?.split(' ') ?? [];
  const oneOf = <Word extends string>(word: string | undefined, known: readonly Word[]) =>
    findWord(word, known, need);
  return {
    group: oneOf(field('group'), groups),
    order: Number(need(/^\d+$/.exec(field('order'))?.[0], 'a number as its order')),
    sends: oneOf(field('sends'), ['logs', 'media', 'both']),
    protocol: oneOf(field('protocol'), protocols),
    words: field('words').split(', '),
    token: {
      kind: oneOf(kind, ['logs', 'media', 'webhook']),
      actions: actions.map(action => oneOf(action, ['read', 'write', 'delete'])),
      narrowedBy: limits.map(limit => oneOf(limit, ['dataset', 'folder'])),
    },
  };
}

function findWord<Word extends string>(word: string | undefined, known: readonly Word[], need: Need): Word {
  return need(
    known.find(each => each === word),
    `one of ${known.join(', ')} where it says "${word}"`,
  );
}

function parseSnippet(section: string, need: Need): Snippet {
  const { template, ...known } = parseBlock(section, need);
  const end = known.isFile ? '\n' : '';
  return { ...known, write: connection => fillTemplate(template, connection) + end };
}

/** A section is a name and a code block; the dashboard shows nothing else. */
function parseBlock(section: string, need: Need) {
  const found = /^(.*)\n\n(`{3,})(\w+)( file)?\n([\s\S]*?)\n\2\s*$/.exec(section);
  const block = need(found, `a code block, and nothing else, under "${section.split('\n')[0]}"`);
  const [, name = '', , language, file, template = ''] = block;
  return { name, language: findWord(language, languages, need), isFile: file !== undefined, template };
}

function parseNotes(list: string, need: Need): Guide['notes'] {
  const [before = '', ...items] = list.split(/^- /m);
  need(/^\s*$/.exec(before), `a list alone under "${notesHeading}"`);
  return items.map(item => {
    const parts = need(
      /^\*\*(.+?)\*\*: (.+)$/.exec(item.trim()),
      `"**problem**: cause" in "- ${item.trim()}"`,
    );
    const [, sees = '', means = ''] = parts;
    return { sees, means };
  });
}
