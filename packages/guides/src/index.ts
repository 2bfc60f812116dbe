/** Guides for connecting tools: parses them from Markdown, finds them, and fills in a connection. */

export { type Catalogue, openCatalogue } from './catalogue.ts';
export { writeGuide, writeIndex } from './documents.ts';
export {
  type Connection,
  type Group,
  type Guide,
  groups,
  type Language,
  type Narrowing,
  placeholderOf,
  readsOnly,
  type Snippet,
  scopesOf,
  type TokenNeed,
} from './guide.ts';
