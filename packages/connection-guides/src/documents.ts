/** Writes guides as Markdown documents: an index of all tools, and a page for each with its placeholders filled. */
import { type Guide, groups, placeholderOf } from './guide.ts';
import { fillTemplate } from './template.ts';

/** Links to the guides' files, which lie in `folder`. */
export function writeIndex(guides: readonly Guide[], folder: string): string {
  const lists = groups.map(group => {
    const items = guides
      .filter(guide => guide.group === group)
      .map(({ id, title, about }) => `- [${title}](${folder}/${id}.md): ${about}`);
    return `## ${group}\n\n${items.join('\n')}`;
  });
  return `# Connecting tools

Settings for loggers, shippers, games and screenshot programs. The page “Connect” of a project in the dashboard fills in the address and a
new token, and shows when the first entry or file has arrived. In these files, \`{{address}}\`, \`{{token}}\` and \`{{dataset}}\` stand for
your own. \`npm run guides\` writes this list.

${lists.join('\n\n')}
`;
}

/** A guide for the service at this address, with a placeholder for the token. */
export function writeGuide(guide: Guide, address: string): string {
  const connection = { address, token: placeholderOf(guide), dataset: 'default', folder: '' };
  const filled = fillTemplate(guide.text, connection).replaceAll(/^(```\w+) file$/gm, '$1');
  return filled.replace(guide.about, `${guide.about} ${describeToken(guide)}`);
}

function describeToken({ token: { kind, actions, narrowedBy } }: Guide): string {
  const limit = narrowedBy.length === 0 ? '' : ` You can limit it to one ${narrowedBy.join(' and one ')}.`;
  return `It needs a token of the kind ${kind} with the scope ${actions.join(', ')}.${limit}`;
}
