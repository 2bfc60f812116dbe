/** Remembers in this browser the projects whose first steps are collapsed. */
import { readStored, store } from '../../../browserStorage.ts';

const nameKey = (project: string) => `tapedeck.firstStepsFolded.${project}`;

export function rememberCollapsed(project: string, isCollapsed: boolean): void {
  store(nameKey(project), isCollapsed ? 'true' : null);
}

export function recallCollapsed(project: string): boolean {
  return readStored(nameKey(project)) !== null;
}
