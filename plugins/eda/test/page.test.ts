import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import eda from '../index.ts';

describeWith(['chromium'], 'events in the console', function () {
  this.timeout(300_000);
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await openStage({ TAPLINE_PLUGINS: 'console' }, { plugins: [eda] });
    page = stage.page;
    await stage.template('greet.yml', { name: 'Deploy the shop', ask_variables_on_launch: true });
    await stage.logIn();
  });
  after(() => stage?.stop());

  const group = (name: string) => page.getByRole('group', { name, exact: true });
  const clean = async () => {
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  };
  /** as a sender does, with the key that the page shows */
  const push = async (rule: { id: number; webhook_path: string }, payload: object) => {
    const { body } = await stage.service.get(`event_rules/${rule.id}/webhook_key/`);
    const text = JSON.stringify(payload);
    const signature = `sha256=${createHmac('sha256', body.webhook_key).update(text).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-svc-signature': signature };
    const answer = await fetch(`${stage.service.url}/api/v2/eda_webhooks/${rule.webhook_path}/`, {
      method: 'POST',
      headers,
      body: text,
    });
    expect(answer.status).to.equal(202);
  };
  const ruleOf = async (name: string) =>
    (await stage.service.get(`event_rules/?name=${encodeURIComponent(name)}`)).body.results[0];

  it('make a rule with its conditions and actions, each error at its field', async () => {
    await stage.open('/event_rules');
    await page.getByText('There is no event rule yet.').waitFor();
    await page.getByRole('link', { name: 'New event rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Deploy main');
    await page.getByRole('combobox', { name: 'Organization' }).fill('Default');
    await page.getByRole('option', { name: 'Default' }).click();
    await page.getByLabel('Source type').selectOption('webhook_generic');
    await page.getByLabel('Webhook path').fill('deploy-main');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await group('condition 1').getByLabel('Expression').fill('event.ref ==');
    await page.getByRole('button', { name: 'Add action' }).click();
    await group('action 1').getByRole('combobox', { name: 'Job template' }).fill('Deploy');
    await page.getByRole('option', { name: 'Deploy the shop' }).click();
    await page.getByRole('button', { name: 'Create event rule' }).click();
    await page.getByRole('group', { name: 'Conditions' }).locator('p.error').waitFor();
    await clean();
    await group('condition 1').getByLabel('Expression').fill('event.ref == "main"');
    await page.getByText('The sample does not match.').waitFor();
    await page.getByLabel('Sample payload').fill('{"ref": "main"}');
    await page.getByText('The sample matches.').waitFor();
    await page.getByText('No event has come in yet.').waitFor();
    await clean();
    await page.getByRole('button', { name: 'Create event rule' }).click();
    await page.getByRole('heading', { name: 'Deploy main', level: 1 }).waitFor();
    const { conditions, actions } = await ruleOf('Deploy main');
    expect(conditions).to.deep.equal([{ jinja2_expression: 'event.ref == "main"', description: '' }]);
    expect(actions[0]).to.include({ action_type: 'launch_job_template' });
    await page.getByRole('button', { name: 'Key' }).click();
    await page.getByRole('dialog').getByText('/api/v2/eda_webhooks/deploy-main/').waitFor();
    await clean();
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('follow what comes in, and tell what became of it and where it led to', async () => {
    const rule = await ruleOf('Deploy main');
    await stage.open('/event_logs');
    await page.getByText('There is no event yet.').waitFor();
    await push(rule, { ref: 'main' });
    // nobody reads the page again
    await page.getByRole('cell', { name: 'action_fired' }).waitFor();
    await clean();
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: 'What became of it' }).click();
    await page.getByText('event.ref == "main"').waitFor();
    await page.getByText('holds').waitFor();
    await clean();
    await page.getByRole('link', { name: /^run \d+$/ }).click();
    await page.getByRole('heading', { name: 'Deploy the shop' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('It repeats').waitFor();
    await page.getByRole('link', { name: /^run \d+$/ }).waitFor();
  });

  it('say of an event that nobody judged why, and nothing of its conditions', async () => {
    const rule = await ruleOf('Deploy main');
    const address = `${stage.service.url}/api/v2/eda_webhooks/${rule.webhook_path}/`;
    const headers = { 'content-type': 'application/json', 'x-svc-signature': `sha256=${'0'.repeat(64)}` };
    expect((await fetch(address, { method: 'POST', headers, body: '{}' })).status).to.equal(403);
    const [refused] = (await stage.service.get('event_logs/?status=signature_failed')).body.results;
    await stage.open(`/event_logs/${refused.id}?tab=way`);
    await page.getByText('with a wrong signature.').waitFor();
    await page.getByText('It was refused.').waitFor();
    expect(await page.getByText('every event matches').count()).to.equal(0);
    expect(await page.getByRole('button', { name: 'Replay' }).count()).to.equal(0);
  });

  it('say of a sample and of the latest events what conditions would do while they are typed', async () => {
    const rule = await ruleOf('Deploy main');
    await stage.open(`/event_rules/${rule.id}/edit`);
    await page.getByText('The sample does not match.').waitFor();
    await page.getByText('Of the latest 1 events these conditions match 1.').waitFor();
    await page.getByLabel('Sample payload').fill('{"ref": "next"}');
    await group('condition 1').getByLabel('Expression').fill('event.ref == "next"');
    await page.getByText('The sample matches.').waitFor();
    await page.getByText('would be done').waitFor();
    await page.getByText('Of the latest 1 events these conditions match 0.').waitFor();
    await page.getByLabel('Sample payload').fill('{"ref": ');
    await page.getByText('The sample is no JSON').waitFor();
    await clean();
    expect((await ruleOf('Deploy main')).conditions[0].jinja2_expression, 'nothing is written').to.include('main');
    await page.getByRole('button', { name: 'Save' }).click();
    // the form is left when it is stored
    await page.getByRole('link', { name: 'Edit', exact: true }).waitFor();
    expect((await ruleOf('Deploy main')).conditions[0].jinja2_expression).to.include('next');
  });
});
