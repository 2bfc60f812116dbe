/** Guides in Markdown as pages of HTML. */
export { type PageOptions, writeMarkdownPage } from './pages.ts';
