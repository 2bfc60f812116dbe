/** Renders Markdown guides as HTML pages. */
export type { NavigationGroup, PageFrame } from './frame.ts';
export { readSections, type Section, writeMarkdownPage } from './pages.ts';
