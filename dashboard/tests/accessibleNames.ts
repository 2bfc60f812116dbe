/** Finds controls that screen readers cannot tell apart. */
import type { Page } from 'playwright-core';

/** Returns the markup of each visible button, link and field without a name. */
export async function findUnnamedControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'button, a[href], input, select, textarea, summary',
    );
    const nameOf = (control: HTMLElement) => {
      const labels = 'labels' in control ? (control.labels as NodeListOf<HTMLElement> | null) : null;
      const label = [...(labels ?? [])].map(each => each.textContent).join('');
      return control.getAttribute('aria-label') || label || control.textContent;
    };
    return [...controls]
      .filter(control => control.checkVisibility() && !nameOf(control)?.trim())
      .map(control => control.outerHTML.slice(0, 200));
  });
}
