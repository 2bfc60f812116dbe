/** The project that was looked at last in this browser: where the dashboard opens. */

const storageKey = 'tapedeck.project';

export function rememberProject(slug: string): void {
  try {
    localStorage.setItem(storageKey, slug);
  } catch {
    // Storage may be forbidden; the dashboard opens with the first project then.
  }
}

export function recallProject(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
