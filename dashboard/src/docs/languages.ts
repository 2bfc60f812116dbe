/** Shows samples in the language the reader chose, on every page. */

const storageKey = 'tapedeck.docs.language';

export function chooseLanguages(): void {
  document.addEventListener('click', ({ target }) => {
    const tab = target instanceof Element ? target.closest<HTMLElement>('[role=tab][data-language]') : null;
    const language = tab?.dataset.language;
    if (tab === null || language === undefined) return;
    const before = tab.getBoundingClientRect().top;
    keep(language);
    show(language);
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' }); // samples above changed height
  });
  const kept = recall();
  if (kept !== null) show(kept);
}

function show(language: string): void {
  for (const samples of document.querySelectorAll('.samples')) {
    const panels = [...samples.querySelectorAll<HTMLElement>(':scope > [data-language]')];
    const chosen = panels.some(panel => panel.dataset.language === language) ? language : 'curl';
    for (const panel of panels) panel.hidden = panel.dataset.language !== chosen;
    for (const tab of samples.querySelectorAll<HTMLElement>('[role=tab]'))
      tab.ariaSelected = String(tab.dataset.language === chosen);
  }
}

function keep(language: string): void {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Storage may be forbidden; then the choice holds for this page only.
  }
}

function recall(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
