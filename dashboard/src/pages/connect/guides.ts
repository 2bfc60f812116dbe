/** The guides in docs/connect, bundled with the page. */
import { openCatalogue } from '@tapedeck/guides';

const files = import.meta.glob<string>('../../../../docs/connect/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const { findGuide, searchGuides } = openCatalogue(
  Object.fromEntries(Object.entries(files).map(([file, text]) => [file.replace(/^.*\/|\.md$/g, ''), text])),
);
