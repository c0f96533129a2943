import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import outbound from '../index.ts';
import { startTarget, type Target } from './target.ts';

describeWith(['chromium'], 'outbound webhooks in the console', function () {
  this.timeout(300_000);
  let stage: Stage;
  let page: Page;
  let target: Target;

  before(async () => {
    target = await startTarget();
    const env = { TAPLINE_PLUGINS: 'console', TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' };
    stage = await openStage(env, { plugins: [outbound] });
    page = stage.page;
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    await target?.stop();
  });

  const clean = async () => {
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  };

  it('are made with events and hidden headers, tested, and show their key', async () => {
    await stage.open('/outbound_webhooks/new');
    await page.getByLabel('Name', { exact: true }).fill('Chat');
    await page.getByRole('combobox', { name: 'Organization' }).fill('Default');
    await page.getByRole('option', { name: 'Default' }).click();
    await page.getByLabel('Url').fill(target.url);
    await page.getByLabel('job.started').check();
    await page.getByLabel('job.succeeded').check();
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByLabel('Name of the header').fill('x-team');
    await page.getByLabel('Value').fill('keep-this-quiet');
    // on its way to its name it is called as the first one
    await page.getByRole('button', { name: 'Add header' }).click();
    const second = page.getByRole('group', { name: 'Header 2' });
    await second.getByLabel('Value').fill('second');
    await second.getByLabel('Name of the header').pressSequentially('x-team');
    await page.getByText('x-team is there twice').waitFor();
    await second.getByLabel('Name of the header').pressSequentially('-2');
    await clean();
    await page.getByRole('button', { name: 'Create outbound webhook' }).click();
    await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor();
    expect(await page.content()).not.to.include('keep-this-quiet');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText(/Delivered: 204 after \d+ ms/).waitFor();
    await clean();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(target.arrived.at(-1)!.headers).to.include({ 'x-team': 'keep-this-quiet', 'x-team-2': 'second' });
    await page.getByRole('button', { name: 'Key' }).click();
    const key = page.getByRole('region', { name: 'Key' });
    const first = await key.textContent();
    await page.getByRole('button', { name: 'Make a new key' }).click();
    await until(async () => (await key.textContent()) !== first);
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('list their deliveries with each try, and send one again', async () => {
    const { id } = await stage.template('greet.yml', { name: 'Greet' });
    await stage.make(`job_templates/${id}/launch/`, {});
    const settled = async () =>
      (await stage.service.get('outbound_webhook_deliveries/?status=successful')).body.count >= 2;
    await until(settled, 90_000, 'both are delivered');
    const [hook] = (await stage.service.get('outbound_webhooks/')).body.results;
    await stage.open(`/outbound_webhooks/${hook.id}?tab=deliveries`);
    await page.getByRole('cell', { name: 'job.succeeded' }).waitFor();
    await clean();
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Tries' }).click();
    await page.getByRole('table', { name: 'Tries' }).getByRole('cell', { name: '204' }).waitFor();
    await page.getByRole('region', { name: 'Body' }).getByText('job.succeeded').waitFor();
    await clean();
    const before = target.arrived.length;
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await until(() => target.arrived.length > before);
    const [again, former] = target.arrived.slice(-2).toReversed();
    expect(again!.headers['webhook-id']).to.equal(former!.headers['webhook-id']);
    // by itself, on the page of the new delivery
    await page.getByRole('table', { name: 'Tries' }).getByRole('cell', { name: '204' }).waitFor();
  });

  it('follow a delivery until it is done with', async () => {
    target.answer = (response) => response.writeHead(500).end('out of order');
    await page.getByRole('button', { name: 'Redeliver' }).click();
    const tries = page.getByRole('table', { name: 'Tries' });
    await tries.getByRole('cell', { name: '500', exact: true }).waitFor();
    target.answer = (response) => response.writeHead(204).end();
    await tries.getByRole('cell', { name: '204', exact: true }).waitFor();
    expect(await tries.getByRole('cell', { name: '500', exact: true }).count()).to.equal(1);
    await clean();
  });
});
