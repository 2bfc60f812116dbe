/** Parses a guide: front matter, a sentence, a code block under each heading, and a list of problems with their causes. */
import { type Guide, groups, languages, protocols, type Snippet } from './guide.ts';
import { fillTemplate } from './template.ts';

const installHeading = 'Install';
const testHeading = 'Try it: ';
const notesHeading = 'If something goes wrong';

/** Throws a sentence that names the guide if something is missing. */
export function parseGuide(id: string, text: string): Guide {
  const need: Need = (value, what) => {
    if (value === undefined || value === null) throw new Error(`The guide ${id}.md lacks ${what}.`);
    return value;
  };
  const [, head, body] = need(/^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text), 'front matter');
  const [opening = '', ...sections] = need(body, 'a text').split(/^## /m);
  const [install, test, notes] = [installHeading, testHeading, notesHeading].map(name =>
    sections.find(section => section.startsWith(name)),
  );
  return {
    id,
    ...parseHead(need(head, 'front matter'), need),
    about: opening.replace(/^# .*$/m, '').trim(),
    install: install === undefined ? null : parseBlock(install, need).template,
    snippets: sections
      .filter(section => ![install, test, notes].includes(section))
      .map(section => parseSnippet(section, need)),
    test: parseSnippet(need(test, `a section "## ${testHeading}…"`).slice(testHeading.length), need),
    notes: notes === undefined ? [] : parseNotes(notes),
    text: need(body, 'a text').trim(),
  };
}

/** Throws unless there is a value. */
type Need = <Value>(value: Value | undefined | null, what: string) => Value;

function parseHead(
  head: string,
  need: Need,
): Pick<Guide, 'title' | 'group' | 'order' | 'sends' | 'protocol' | 'words' | 'token'> {
  const fields = new Map(
    head
      .split('\n')
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const field = (name: string) => need(fields.get(name), `"${name}:" in its front matter`);
  const [kind, ...actions] = field('token').split(' ');
  const limits = fields.get('narrowed by')?.split(' ') ?? [];
  const oneOf = <Word extends string>(word: string | undefined, known: readonly Word[]) =>
    findWord(word, known, need);
  return {
    title: field('title'),
    group: oneOf(field('group'), groups),
    order: Number(field('order')),
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

function parseBlock(section: string, need: Need) {
  const found = /^(.*)\n\n(`{3,})(\w+)( file)?\n([\s\S]*?)\n\2/.exec(section);
  const block = need(found, `a code block under "${section.split('\n')[0]}"`);
  const [, name = '', , language, file, template = ''] = block;
  return { name, language: findWord(language, languages, need), isFile: file !== undefined, template };
}

function parseNotes(section: string): Guide['notes'] {
  return [...section.matchAll(/^- \*\*(.*?)\*\*: (.*)$/gm)].map(([, sees = '', means = '']) => ({
    sees,
    means,
  }));
}
