import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../../core/config/config.ts';
import type { Stage } from '../stage.ts';
import type { Furnished } from './furnish.ts';

/** Where somebody meets a dialog, and what they do to open it. */
interface Met {
  at: string;
  open: (page: Page) => Promise<unknown>;
  /** what closes it besides Escape */
  close?: (page: Page) => Promise<unknown>;
}

/** Its service is told from outside what is on; test/console/bad-days meets it. */
const whereNothingIsSwitched = 'plugins/console/web/pages/plugins/switches.tsx';

/** By the files that have one, of the console, its kit and the plugins. */
export const dialogFiles = (): string[] =>
  globSync(['plugins/console/web/**/*.tsx', 'console-kit/**/*.tsx', 'plugins/*/pages/*.js'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
    .filter(
      (file) =>
        file !== whereNothingIsSwitched &&
        /<Dialog\b|^ *Dialog,$\n^ *\{ title/m.test(readFileSync(join(root, file), 'utf8')),
    )
    .toSorted();

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
const node = (page: Page) => page.getByRole('application').locator('[data-node]').first().click();

export function dialogs({ inventory }: Stage, made: Furnished): Record<string, Met> {
  const graph = `/workflow_job_templates/${made.workflow}/graph`;
  return {
    'console-kit/bulk/bulk-dialog.tsx': {
      at: '/jobs',
      open: async (page) => {
        await page.getByLabel('Select all of this page').check();
        await press(/^Delete \d+$/)(page);
      },
    },
    'console-kit/generic/copy-button.tsx': { at: `/templates/${made.asking}`, open: press('Copy') },
    'console-kit/generic/delete-button.tsx': { at: '/organizations/1', open: press('Delete') },
    'console-kit/generic/shown-once.tsx': {
      at: '/tokens/new',
      open: press('Create token'),
      close: (page) => page.getByRole('button', { name: 'I have it' }).click(),
    },
    'console-kit/leaving/leave-dialog.tsx': {
      at: '/teams/new',
      open: async (page) => {
        await page.getByLabel('Name', { exact: true }).fill('Half typed');
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Hosts' }).click();
      },
      close: (page) => page.getByRole('button', { name: 'Leave', exact: true }).click(),
    },
    'plugins/console/web/approvals/decide.tsx': { at: '/approvals', open: press(/^Deny \S/) },
    'plugins/console/web/browse/delete-part.tsx': {
      at: `/api/v2/inventories/${inventory}/`,
      open: press('Delete'),
    },
    'plugins/console/web/credential/test-credential.tsx': { at: `/credentials/${made.vault}`, open: press('Test') },
    'plugins/console/web/keys/key-help.tsx': { at: '/', open: (page) => page.keyboard.press('?') },
    'plugins/console/web/pages/job/job-actions.tsx': { at: `/jobs/${made.running}`, open: press('Cancel job') },
    'plugins/console/web/pages/job/passwords-dialog.tsx': { at: `/jobs/${made.secret}`, open: press('Relaunch') },
    'plugins/console/web/pages/kit/said-parts.tsx': { at: '/kit', open: press('Ask') },
    'plugins/console/web/pages/workflow/workflow-actions.tsx': {
      at: `/workflow_jobs/${made.waiting}`,
      open: press('Cancel workflow'),
    },
    'plugins/console/web/palette/palette.tsx': { at: '/jobs', open: (page) => page.keyboard.press('Control+k') },
    'plugins/console/web/system/launch-system-job.tsx': { at: '/system_job_templates', open: press(/^Launch/) },
    'plugins/console/web/webhook/webhook-key.tsx': {
      at: `/templates/${made.asking}?tab=webhook`,
      open: press('New key'),
    },
    'plugins/console/web/workflow/editor/link-dialog.tsx': { at: graph, open: press('Link two nodes') },
    'plugins/console/web/workflow/editor/node-dialog.tsx': { at: graph, open: press('Add a node') },
    'plugins/console/web/workflow/editor/remove-dialog.tsx': {
      at: graph,
      open: async (page) => {
        await node(page);
        await press('Remove node')(page);
      },
    },
    'plugins/drift/pages/bulk.js': { at: '/drift', open: press(/^Acknowledge all/) },
    'plugins/drift/pages/remedy.js': { at: `/drift/${made.change}`, open: press('Put right …') },
    'plugins/eda/pages/buttons.js': { at: `/event_rules/${made.rule}`, open: press('Key') },
    'plugins/outbound-webhooks/pages/buttons.js': { at: `/outbound_webhooks/${made.webhook}`, open: press('Test') },
  };
}
