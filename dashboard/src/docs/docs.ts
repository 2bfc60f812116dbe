/** Scripts of the documentation pages: section links, copy buttons, sample languages, search and the request forms. */
import { addCopyButtons } from './copying.ts';
import { linkHeadings } from './headings.ts';
import { chooseLanguages } from './languages.ts';
import { offerMarkdown } from './markdown.ts';
import { unfoldPages } from './pageList.ts';
import { enableForms } from './requestForms.ts';
import { addSearch } from './search.ts';

unfoldPages();
linkHeadings();
offerMarkdown();
addSearch();
chooseLanguages();
addCopyButtons();
enableForms();
