/** Guides for connecting tools: parses them from Markdown, finds them, and fills in a connection. */

export { openCatalogue } from './catalogue.ts';
export { writeGuide, writeIndex } from './documents.ts';
export {
  type Connection,
  type Guide,
  groups,
  type Language,
  placeholderOf,
  readsOnly,
  type Snippet,
  scopesOf,
} from './guide.ts';
