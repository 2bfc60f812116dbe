/** The project last open in this browser, where the dashboard opens. */
import { readStored, store } from './browserStorage.ts';

const storageKey = 'tapedeck.project';

export const rememberProject = (slug: string): void => store(storageKey, slug);
export const recallProject = (): string | null => readStored(storageKey);
