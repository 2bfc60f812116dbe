/** Writes guides as Markdown documents: an index of all tools, and a page for each with its placeholders filled. */
import { type Guide, groups, placeholderOf } from './guide.ts';
import { fillTemplate } from './template.ts';

/** Links to the guides' files in `folder`. Each item has the guide's id as an anchor. */
export function writeIndex(guides: readonly Guide[], folder: string): string {
  const lists = groups.map(group => {
    const items = guides
      .filter(guide => guide.group === group)
      .map(({ id, title, about }) => `- <a id="${id}"></a>[${title}](${folder}/${id}.md): ${about}`);
    return `## ${group}\n\n${items.join('\n')}`;
  });
  return `# Connecting tools

Settings for loggers, log shippers, games and screenshot tools. The Connect page of a project in the dashboard fills in your address and a
new token, and shows the first log entry or file when it arrives. Your service also shows these guides at \`/docs/connect\`, with its own
address. In the repository, \`{{address}}\`, \`{{token}}\` and \`{{dataset}}\` stand for your values.

${lists.join('\n\n')}
`;
}

/** Writes a guide for the service at this address, with a placeholder for the token. */
export function writeGuide(guide: Guide, address: string): string {
  const connection = { address, token: placeholderOf(guide), dataset: 'default', folder: '' };
  const filled = fillTemplate(guide.text, connection).replaceAll(/^(```\w+) file$/gm, '$1');
  return filled.replace(guide.about, about => `${about}\n\n${describeToken(guide)}`);
}

function describeToken(guide: Guide): string {
  const { kind, actions, narrowedBy } = guide.token;
  const limit = narrowedBy.length === 0 ? '' : ` You can limit it to one ${narrowedBy.join(' and one ')}.`;
  const scopes = `${actions.length === 1 ? 'scope' : 'scopes'} \`${actions.join('`, `')}\``;
  return `Replace \`${placeholderOf(guide)}\` with a ${kind} token that has the ${scopes}.${limit}`;
}
