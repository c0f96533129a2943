import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { openStage, pick, type Stage } from './stage.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor();

describeWith(['chromium'], 'the console: workflows, schedules and notifications as records', () => {
  let stage: Stage;
  let page: Page;
  let template: number;
  before(async () => {
    stage = await openStage();
    page = stage.page;
    template = (await stage.template('greet.yml', { name: 'Greet' })).id;
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  it('makes a workflow by the form, launches it with what it asks for, and lists its runs', async () => {
    await stage.open('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Workflows' }).click();
    await page.getByRole('link', { name: 'New workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Release');
    await page.getByLabel('Ask limit on launch').check();
    await page.getByRole('button', { name: 'Create workflow' }).click();
    await heading(page, 'Release');
    const { body } = await stage.service.get('workflow_job_templates/?name=Release');
    const { id } = body.results[0];
    await stage.make(`workflow_job_templates/${id}/workflow_nodes/`, { unified_job_template: template });
    await stage.open(`/templates/${template}?tab=used`);
    await page.getByRole('region', { name: 'Steps of workflows' }).getByRole('link', { name: 'Release' }).click();
    await heading(page, 'Release');
    await page.getByRole('link', { name: 'Launch Release' }).click();
    await page.getByLabel(/^Limit/).fill('web1');
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.waitForURL(/\/workflow_jobs\/\d+$/);
    const run = Number(page.url().split('/').at(-1));
    await heading(page, `Release · Workflow ${run}`);
    expect((await stage.service.get(`workflow_jobs/${run}/`)).body.limit).to.equal('web1');
    await stage.open(`/workflow_job_templates/${id}?tab=workflow_jobs`);
    await page.getByRole('rowheader', { name: 'Release' }).getByRole('link').click();
    await page.waitForURL(new RegExp(`/workflow_jobs/${run}$`));
  });

  it('switches a schedule off and on where it stands in its list', async () => {
    const { id } = await stage.make(`job_templates/${template}/schedules/`, {
      name: 'Nightly',
      rrule: 'DTSTART:20300101T030000Z RRULE:FREQ=DAILY;INTERVAL=1',
    });
    await stage.open(`/templates/${template}?tab=schedules`);
    await page.getByRole('link', { name: 'Nightly' }).waitFor();
    await page.getByRole('button', { name: 'Switch off Nightly' }).click();
    await page.getByRole('button', { name: 'Switch on Nightly' }).waitFor();
    expect((await stage.service.get(`schedules/${id}/`)).body.enabled).to.equal(false);
    await page.getByRole('button', { name: 'Switch on Nightly' }).click();
    await until(async () => (await stage.service.get(`schedules/${id}/`)).body.enabled === true);
    await page.getByRole('link', { name: 'Add schedule' }).click();
    await page.waitForURL(new RegExp(`/schedules/new\\?unified_job_template=${template}$`));
    await until(
      async () => (await page.getByRole('combobox', { name: /^Unified job template/ }).inputValue()) === 'Greet',
    );
  });

  it('sets a webhook up: address, key on request and anew after a question, and a token of its service', async () => {
    const { service, make } = stage;
    const types = (await service.get('credential_types/?namespace=gitlab_token')).body.results;
    const token = { name: 'Token', organization: 1, credential_type: types[0].id, inputs: { token: 'hush' } };
    const credential = await make('credentials/', token);
    const shown = async () => (await service.get(`job_templates/${template}/`)).body;
    const key = async () => (await service.get(`job_templates/${template}/webhook_key/`)).body.webhook_key;
    await stage.open(`/templates/${template}?tab=webhook`);
    await page.getByText('No webhook launches it.').waitFor();
    await page.getByLabel(/^Webhook service/).selectOption('GitLab');
    await pick(page, 'Webhook credential', 'Token');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${service.url}/api/v2/job_templates/${template}/gitlab/`).waitFor();
    expect(await shown()).to.include({ webhook_service: 'gitlab', webhook_credential: credential.id });
    const before = await key();
    expect(await page.getByText(before).count()).to.equal(0);
    await page.getByRole('button', { name: 'Show the key' }).click();
    await page.getByText(before).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep the key' }).click();
    expect(await key()).to.equal(before);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).click();
    await until(async () => (await key()) !== before);
    await page.getByText(await key()).waitFor();

    const user = await make('users/', { username: 'operator', password: 'long enough 1' });
    const { object_roles: roles } = (await shown()).summary_fields;
    await service.post(`roles/${roles.execute_role.id}/users/`, { id: user.id });
    const other = await stage.fresh();
    await stage.logIn(other, 'operator', 'long enough 1');
    await other.goto(`/templates/${template}?tab=webhook`);
    await other.getByText(`/job_templates/${template}/gitlab/`).waitFor();
    expect(
      await other
        .getByRole('main')
        .getByRole('button', { name: /key|Save/ })
        .count(),
    ).to.equal(0);
    await other.context().close();

    await page.getByLabel(/^Webhook service/).selectOption({ value: '' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('No webhook launches it.').waitFor();
    expect(await shown()).to.include({ webhook_service: '', webhook_credential: null });
  });

  it('attaches notification templates to a template by event, by keyboard, and takes them off', async () => {
    const { id } = await stage.make('notification_templates/', {
      name: 'Tell the team',
      organization: 1,
      notification_type: 'webhook',
      notification_configuration: { url: 'http://127.0.0.1:9/', headers: {} },
    });
    await stage.open(`/templates/${template}?tab=notifications`);
    const box = (event: string) => page.getByRole('checkbox', { name: `${event}: Tell the team` });
    const attached = async (event: string) => {
      const { body } = await stage.service.get(`job_templates/${template}/notification_templates_${event}/`);
      return body.results.map((one: { id: number }) => one.id);
    };
    await until(() => box('Failure').isEnabled());
    await box('Failure').focus();
    await page.keyboard.press('Space');
    await until(async () => (await attached('error')).length === 1);
    expect(await attached('error')).to.deep.equal([id]);
    expect(await attached('success')).to.deep.equal([]);
    expect(await box('Approval').count()).to.equal(0);
    await page.reload();
    await until(() => box('Failure').isChecked());
    expect(await box('Start').isChecked()).to.equal(false);
    await box('Failure').uncheck();
    await until(async () => (await attached('error')).length === 0);
  });
});
