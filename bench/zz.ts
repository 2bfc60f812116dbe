import { measureLists } from './files.ts';
await measureLists();
