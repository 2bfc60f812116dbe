/** Scripts of the documentation pages: copy code, choose a language, search, try requests. */
import { addCopyButtons } from './copying.ts';
import { chooseLanguages } from './languages.ts';
import { unfoldPages } from './pages.ts';
import { addSearch } from './search.ts';
import { enableForms } from './trying.ts';

unfoldPages();
addSearch();
chooseLanguages();
addCopyButtons();
enableForms();
