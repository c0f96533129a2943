import type { Page } from 'playwright-core';

/** Pages whose loading is measured, with what there is once they show what they are for. */
export const shown = {
  '/': 'main .card',
  '/jobs': 'main tbody tr',
  '/hosts': 'main tbody tr',
  '/templates': 'main tbody tr',
  '/activity': 'main tbody tr',
};

export async function logIn(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password').fill('bench-secret');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  // whoever comes for the first time is led to the set-up: shown is what there is afterwards
  await page.locator(shown['/']).first().waitFor();
}

export const settled = (page: Page) => page.waitForLoadState('networkidle');
