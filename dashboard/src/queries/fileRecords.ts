/** What the service tells of a file, as every list and page of files shows it. */
import type { Answer } from '@tapedeck/client';

export type FileRecord = Answer<'listProjectFiles'>['data'][number];
