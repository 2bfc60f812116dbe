/** Remembers in this browser the projects whose first steps are collapsed. */

const nameKey = (project: string) => `tapedeck.firstStepsFolded.${project}`;

export function rememberCollapsed(project: string, isFolded: boolean): void {
  try {
    if (isFolded) localStorage.setItem(nameKey(project), 'true');
    else localStorage.removeItem(nameKey(project));
  } catch {
    // Storage may be forbidden; then the steps are open next time.
  }
}

export function recallCollapsed(project: string): boolean {
  try {
    return localStorage.getItem(nameKey(project)) !== null;
  } catch {
    return false;
  }
}
