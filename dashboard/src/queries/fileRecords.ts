/** A file, as in lists and pages. */
import type { Answer } from '@tapedeck/client';

export type FileRecord = Answer<'listProjectFiles'>['data'][number];
