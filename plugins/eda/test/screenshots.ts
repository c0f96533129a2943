/** Makes the pictures of events in docs/screenshots: `node plugins/eda/test/screenshots.ts`. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../../../test/support/hooks.ts';
import { until } from '../../../test/support/until.ts';
import outbound from '../../outbound-webhooks/index.ts';
import { startTarget } from '../../outbound-webhooks/test/target.ts';
import eda from '../index.ts';

const folder = join(import.meta.dirname, '../../../docs/screenshots');
const key = 'a key of the pictures';

async function push(stage: Stage, payload: object): Promise<void> {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-svc-signature': signature };
  await fetch(`${stage.service.url}/api/v2/eda_webhooks/deploy-main/`, { method: 'POST', headers, body });
}

/** A rule, events of which some match, the runs of those, and word of the runs. */
async function furnish(stage: Stage, url: string): Promise<{ rule: number; hook: number }> {
  const { id: template } = await stage.template('greet.yml', {
    name: 'Deploy the shop',
    ask_variables_on_launch: true,
    allow_simultaneous: true,
  });
  const events = ['job.started', 'job.succeeded', 'job.failed'];
  const { id: hook } = await stage.make('outbound_webhooks/', { name: 'Chat', organization: 1, url, events });
  const { id: rule } = await stage.make('event_rules/', {
    name: 'Deploy main',
    organization: 1,
    source_type: 'webhook_generic',
    webhook_path: 'deploy-main',
    webhook_key: key,
    conditions: [
      { jinja2_expression: 'event.ref == "refs/heads/main"', description: 'main only' },
      { jinja2_expression: 'event.commits | length > 0', description: 'something was pushed' },
    ],
    actions: [
      { action_type: 'launch_job_template', target_id: template, extra_vars: { env: 'prod' }, description: '' },
    ],
  });
  for (const branch of ['next', 'main', 'fix/typo', 'main'])
    await push(stage, {
      event_type: 'push',
      ref: `refs/heads/${branch}`,
      commits: [{ id: 'c0ffee', message: branch }],
    });
  const settled = async () =>
    (await stage.service.get('outbound_webhook_deliveries/?status=successful')).body.count >= 4;
  await until(settled, 120_000, 'word of both runs is delivered');
  return { rule, hook };
}

async function takeAll(stage: Stage, page: Page, { rule, hook }: { rule: number; hook: number }, suffix: string) {
  const picture = (name: string) => page.screenshot({ path: join(folder, `${name}${suffix}.png`) });
  await stage.logIn(page);
  await page.goto(`/event_rules/${rule}/edit`);
  await page.getByText('Of the latest 4 events these conditions match 2.').waitFor();
  await page.getByLabel('Sample payload').fill('{"ref": "refs/heads/main", "commits": [{"id": "c0ffee"}]}');
  await page.getByText('The sample matches.').waitFor();
  await page.getByRole('region', { name: 'Try the conditions' }).scrollIntoViewIfNeeded();
  await page.getByText('Of the latest 4 events').scrollIntoViewIfNeeded();
  await picture('event-rule');
  await page.goto('/event_logs');
  await page.getByRole('cell', { name: 'action_fired' }).first().waitFor();
  await picture('events');
  const { body } = await stage.service.get('event_logs/?status=action_fired');
  await page.goto(`/event_logs/${body.results[0].id}`);
  await page.getByRole('link', { name: 'What became of it' }).click();
  await page.getByRole('link', { name: /^run \d+$/ }).waitFor();
  await picture('event-way');
  await page.goto(`/outbound_webhooks/${hook}?tab=deliveries`);
  await page.getByRole('cell', { name: 'job.succeeded' }).first().waitFor();
  await picture('deliveries');
}

await mochaGlobalSetup();
const target = await startTarget();
const env = { TAPLINE_PLUGINS: 'console', TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' };
const stage = await openStage(env, { plugins: [eda, outbound] });
try {
  const made = await furnish(stage, target.url);
  const viewport = { width: 1280, height: 800 };
  await takeAll(stage, await stage.fresh({ viewport, colorScheme: 'light' }), made, '');
  await takeAll(stage, await stage.fresh({ viewport, colorScheme: 'dark' }), made, '-dark');
} finally {
  await stage.stop();
  await target.stop();
  await mochaGlobalTeardown();
}
