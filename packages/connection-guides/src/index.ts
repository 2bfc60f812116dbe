/** A catalogue of tools and their settings. Knows no HTTP and no page. */

export { findGuide, guides, searchGuides } from './catalogue.ts';
export {
  type Connection,
  type Group,
  type Guide,
  groups,
  type Language,
  type Narrowing,
  placeholderOf,
  type Snippet,
  scopesOf,
  type TokenNeed,
} from './guide.ts';
