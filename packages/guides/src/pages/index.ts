/** Guides in Markdown as pages of HTML. */
export type { NavigationGroup, PageFrame } from './frame.ts';
export { readHeadings, writeMarkdownPage } from './pages.ts';
