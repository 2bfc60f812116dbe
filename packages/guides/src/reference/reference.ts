/** Writes an API's reference: an overview, and a page for each area with its operations. */
import { type PageFrame, writePage } from '../pages/frame.ts';
import { escapeHtml } from '../pages/inlineText.ts';
import { renderMarkdown } from '../pages/pages.ts';
import { writeOperation } from './operationSection.ts';
import { type ApiDocument, type Area, readApi } from './operations.ts';

type Link = { title: string; url: string };
export type SearchEntry = Link & { text: string };

export type Reference = {
  /** One page per area: its address below `root`, and the names of its operations. */
  areas: readonly {
    slug: string;
    title: string;
    group: string;
    operations: readonly (Link & { method: string })[];
  }[];
  writeOverview(frame: PageFrame): string;
  /** `address`: the service's address, for samples. */
  writeArea(slug: string, address: string, frame: PageFrame): string;
  entries: readonly SearchEntry[];
};

/** `root`: the path of the pages. */
export function openReference(document: ApiDocument, root: string): Reference {
  const api = readApi(document);
  const renderText = (text: string) => renderMarkdown(text, target => target);
  const renderLine = (text: string) => renderText(text).replace(/^<p>(.*)<\/p>$/s, '$1');
  const locate = (area: Area, id?: string) => `${root}/${area.slug}${id === undefined ? '' : `#${id}`}`;
  return {
    areas: api.areas.map(area => ({
      slug: area.slug,
      title: area.name,
      group: area.group,
      operations: area.operations.map(({ id, method, summary }) => ({
        title: summary,
        url: locate(area, id),
        method,
      })),
    })),
    entries: api.areas.flatMap(area =>
      area.operations.map(({ id, method, path, summary }) => ({
        title: summary,
        url: locate(area, id),
        text: `${method} ${path} ${id} ${area.name}`,
      })),
    ),
    writeOverview: frame => {
      const lists = api.areas.map(area => {
        const rows = area.operations.map(
          ({ id, method, path, summary }) =>
            `<tr><td><span class="method ${method.toLowerCase()}">${method}</span></td><td><a href="${locate(area, id)}"><code>${escapeHtml(path)}</code></a></td><td>${renderLine(summary)}</td></tr>`,
        );
        return `<h2 id="${area.slug}"><a href="${locate(area)}">${escapeHtml(area.name)}</a></h2><table class="fields operations"><tbody>${rows.join('')}</tbody></table>`;
      });
      const main = `<h1>API</h1>${renderText(api.description)}${lists.join('')}`;
      return writePage({ ...frame, title: 'API', main });
    },
    writeArea: (slug, address, frame) => {
      const area = api.areas.find(each => each.slug === slug);
      if (area === undefined) throw new Error(`The reference has no area ${slug}.`);
      const sections = area.operations.map(operation =>
        writeOperation(operation, { api, address, renderText: renderLine }),
      );
      const main = `<h1>${escapeHtml(area.name)}</h1>${renderText(area.description)}${sections.join('\n')}`;
      return writePage({ ...frame, title: area.name, main });
    },
  };
}
