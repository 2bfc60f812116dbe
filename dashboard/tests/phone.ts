/** Shows pages on a phone. */
import type { Page } from 'playwright-core';
import { findUnnamedControls } from './accessibleNames.ts';
import { moveTo } from './inAppNavigation.ts';

/** Finds elements that do not fit on a phone, and controls without a name. */
export async function findMisfits(page: Page, address: string): Promise<string[]> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await moveTo(page, address);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const misfits = await findUnnamedControls(page);
  return overflow > 0 ? [...misfits, `${overflow} pixels wider than the phone`] : misfits;
}
