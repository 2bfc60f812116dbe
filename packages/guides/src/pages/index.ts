/** Renders Markdown guides as HTML pages. */
export type { NavigationGroup, PageFrame } from './frame.ts';
export { readHeadings, writeMarkdownPage } from './pages.ts';
