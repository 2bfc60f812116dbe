/** For tests: the guides of the Connect page. */
import path from 'node:path';
import { readCatalogue } from '@tapedeck/guides/files';
import { repositoryRoot } from '../../../scripts/repository.ts';

export const { guides, findGuide } = readCatalogue(path.join(repositoryRoot, 'docs/connect'));
