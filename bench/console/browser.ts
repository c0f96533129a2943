import { type BrowserContext, chromium, type Page } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/** What Chromium itself tells of how long a page takes: kept by the page from its first moment. */
const observing = `
  window.__largest = 0;
  window.__events = [];
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__largest = entry.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (entry.interactionId) window.__events.push(entry.duration); })
    .observe({ type: 'event', durationThreshold: 16, buffered: true });
`;
/** Chromium tells of no shorter one. */
const shortest = 16;

export interface Browsing {
  /** a page with an empty cache, and whoever is logged in already */
  fresh(): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(origin: string, login?: (page: Page) => Promise<void>): Promise<Browsing> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: flags });
  const context = async (state?: Awaited<ReturnType<BrowserContext['storageState']>>) => {
    const made = await browser.newContext({ baseURL: origin, ...(state && { storageState: state }) });
    await made.addInitScript(observing);
    return made;
  };
  const first = await context();
  if (login) await login(await first.newPage());
  const state = await first.storageState();
  await first.close();
  return {
    fresh: async () => (await context(state)).newPage(),
    close: () => browser.close(),
  };
}

/** Compressed bytes of all that is no answer of the API, since it was asked last. */
export async function countBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  const counted = new Set<string>();
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!/\/(?:api|websocket)\//.test(request.url)) counted.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (counted.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return () => {
    const taken = bytes;
    bytes = 0;
    return taken;
  };
}

/** Milliseconds after the navigation began at which the largest of what is seen first was painted. */
export const largestPaint = (page: Page): Promise<number> => page.evaluate('window.__largest');

/** Milliseconds from what somebody did to the next frame that shows it, as Chromium's Event Timing tells. */
export async function interaction(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate('void (window.__events.length = 0)');
  await act();
  // what was told of is handed over after the next frame
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))');
  const found: number[] = await page.evaluate('window.__events');
  return Math.max(shortest, ...found);
}

/** Frame by frame; as a text that the page itself evaluated its policy would refuse it. */
export const holds = (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(
    `new Promise((done) => (function look() { if (${expression}) done(null); else requestAnimationFrame(look); })())`,
  );
