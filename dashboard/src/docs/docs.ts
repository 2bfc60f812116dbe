/** Scripts of the documentation pages: links to sections, copying, languages of samples, search, trying requests. */
import { addCopyButtons } from './copying.ts';
import { linkHeadings } from './headings.ts';
import { chooseLanguages } from './languages.ts';
import { offerMarkdown } from './markdown.ts';
import { unfoldPages } from './pages.ts';
import { addSearch } from './search.ts';
import { enableForms } from './trying.ts';

unfoldPages();
linkHeadings();
offerMarkdown();
addSearch();
chooseLanguages();
addCopyButtons();
enableForms();
