/** The type of a file as lists and pages show it. */
import type { Answer } from '@tapedeck/client';

export type FileRecord = Answer<'listProjectFiles'>['data'][number];
