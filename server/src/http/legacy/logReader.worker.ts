/** What the thread for dear bodies loads to read those of the oldest log routes. A bundle keeps it as a file of its own. */
export { readEntries } from './logReader.ts';
