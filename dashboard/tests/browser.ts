/** A real browser for tests, which records what its pages do behind the scenes. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/testing/programs.ts';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none', // without a window, letters would be whole pixels wide
];
const patienceMs = 15_000; // for every wait; a busy machine is slow

export type WatchedPage = {
  page: Page;
  /** Returns responses of 400 and above since the last call, as `401 POST /api/manage/sign-in`. */
  takeRefusals: () => string[];
};

export type TestBrowser = AsyncDisposable & {
  /** Opens a new visitor, who shares no cookies or storage with others. `locale`: the browser's language. */
  openPage: (locale?: string) => Promise<WatchedPage>;
  /** Problems on any page: console errors, exceptions, and requests to other hosts. */
  troubles: string[];
};

export async function startBrowser(baseUrl: string): Promise<TestBrowser> {
  const browser = await openChromium();
  const contexts: BrowserContext[] = [];
  const troubles: string[] = [];
  return {
    troubles,
    openPage: async (locale = 'en-US') => {
      const context = await browser.newContext({ baseURL: baseUrl, locale });
      contexts.push(context);
      const page = await newPage(context);
      return { page, takeRefusals: watch(page, { baseUrl, troubles }) };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(contexts.map(context => context.close()));
      if (!isShared) await browser.close();
    },
  };
}

/** The test runner's processes have a channel to it and run many files. They share one Chromium, which ends with the channel. */
const isShared = process.connected === true;
let shared: Promise<Browser> | null = null;

async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('No Chromium found; install it to test the dashboard.');
  const launch = () => chromium.launch({ executablePath, args: flags });
  if (!isShared) return launch();
  if (shared !== null && (await shared).isConnected()) return shared;
  shared = keepingProfile(launch);
  const browser = await shared;
  process.once('disconnect', () => browser.close());
  return browser;
}

/** A test file's own folder is deleted after that file. A Chromium without its profile searches for it nonstop, which took a third of a processor. */
async function keepingProfile<Result>(launch: () => Promise<Result>): Promise<Result> {
  const { TMPDIR: ofFile, PROCESS_TMPDIR: ofProcess } = process.env;
  if (ofFile === undefined || ofProcess === undefined) return launch();
  process.env.TMPDIR = ofProcess;
  try {
    return await launch();
  } finally {
    process.env.TMPDIR = ofFile;
  }
}

async function newPage(context: BrowserContext): Promise<Page> {
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 860 });
  // Ends animations at once, so that tests need not wait.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  return page;
}

function watch(page: Page, { baseUrl, troubles }: { baseUrl: string; troubles: string[] }): () => string[] {
  let refusals: string[] = [];
  page.on('console', message => {
    // The browser's own line about a failed request; `takeRefusals` reports those.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isRefusal) troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', error => troubles.push(`exception: ${error.message}`));
  page.on('request', request => {
    if (!request.url().startsWith(`${baseUrl}/`)) troubles.push(`other host: ${request.url()}`);
  });
  page.on('response', response => {
    const line = `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`;
    if (response.status() >= 400) refusals.push(line);
  });
  return () => {
    const taken = refusals;
    refusals = [];
    return taken;
  };
}
