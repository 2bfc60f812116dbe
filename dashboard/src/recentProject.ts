/** The project last open in this browser, where the dashboard opens. */

const storageKey = 'tapedeck.project';

export function rememberProject(slug: string): void {
  try {
    localStorage.setItem(storageKey, slug);
  } catch {
    // Storage may be forbidden; then the dashboard opens the first project.
  }
}

export function recallProject(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
