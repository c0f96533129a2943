import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { openStage, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: a survey that two people change', () => {
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

  const spec = () => `job_templates/${template}/survey_spec/`;
  const question = (name: string) => ({
    type: 'text',
    question_name: name,
    question_description: '',
    variable: name.toLowerCase(),
    required: true,
    default: '',
    choices: '',
    min: null,
    max: null,
  });
  const stores = async (...names: string[]) => {
    const answer = await stage.service.post(spec(), { name: '', description: '', spec: names.map(question) });
    expect(answer.status).to.equal(200);
  };
  const stored = async () =>
    (await stage.service.get(spec())).body.spec.map((one: { question_name: string }) => one.question_name);
  const open = async (...names: string[]) => {
    await stores(...names);
    await stage.open(`/templates/${template}?tab=survey`);
    await page.getByRole('button', { name: `Edit ${names[0]}` }).waitFor();
  };
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const told = () => page.getByText(/^Somebody changed the survey meanwhile/).first();

  it('keeps the question of the other, says so, and takes one more at the second try', async () => {
    await open('Colour');
    await button('Add question').click();
    await field('Question').fill('Size');
    await field('Variable').fill('size');
    await stores('Colour', 'Shape');
    await button('Store question').click();
    await page.getByRole('alert').filter({ has: told() }).waitFor();
    await button('Edit Shape').waitFor();
    expect(await stored()).to.deep.equal(['Colour', 'Shape']);
    expect(await field('Question').inputValue()).to.equal('Size');
    await button('Store question').click();
    await button('Edit Size').waitFor();
    expect(await stored()).to.deep.equal(['Colour', 'Shape', 'Size']);
  });

  it('changes the question that was opened, wherever it stands by now', async () => {
    await open('Colour', 'Shape');
    await button('Edit Shape').click();
    await field('Question').fill('Form');
    await stores('Size', 'Colour', 'Shape');
    await button('Store question').click();
    await told().waitFor();
    await button('Edit Size').waitFor();
    expect(await field('Question').inputValue()).to.equal('Form');
    await button('Store question').click();
    await button('Edit Form').waitFor();
    expect(await stored()).to.deep.equal(['Size', 'Colour', 'Form']);

    await open('Colour', 'Shape');
    await button('Edit Shape').click();
    await field('Question').fill('Form');
    await stores('Colour');
    await button('Store question').click();
    await told().waitFor();
    expect(await field('Question').inputValue()).to.equal('Form');
    await button('Store question').click();
    await button('Edit Form').waitFor();
    expect(await stored()).to.deep.equal(['Colour', 'Form']);
  });

  it('neither moves nor removes in a survey that is another by now', async () => {
    await open('Colour', 'Shape');
    await stores('Colour', 'Size', 'Shape');
    await button('Move Shape up').click();
    await told().waitFor();
    await button('Edit Size').waitFor();
    expect(await stored()).to.deep.equal(['Colour', 'Size', 'Shape']);
    await button('Remove Shape').click();
    await stores('Colour', 'Size', 'Shape', 'Weight');
    await button('Store without 1 question').click();
    await button('Edit Weight').waitFor();
    expect(await stored()).to.deep.equal(['Colour', 'Size', 'Shape', 'Weight']);
    await button('Store without 1 question').click();
    await button('Put back Shape').waitFor({ state: 'detached' });
    expect(await stored()).to.deep.equal(['Colour', 'Size', 'Weight']);
    await button('Move Size up').click();
    await until(async () => (await stored()).join() === 'Size,Colour,Weight');
  });

  it('shows whether launches ask it as that is stored, also where a change is refused', async () => {
    await open('Colour');
    const box = page.getByLabel('Ask these questions at each launch');
    const path = `**/api/v2/job_templates/${template}/`;
    await page.route(path, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 409, json: { detail: 'Not in the night.' } })
        : route.continue(),
    );
    await box.click();
    await page.getByText('Not in the night.').waitFor();
    await until(async () => !(await box.isChecked()));
    await page.unroute(path);
    await box.click();
    await until(async () => (await stage.service.get(`job_templates/${template}/`)).body.survey_enabled);
    await until(() => box.isChecked());
  });

  it('says that launches ask it when they do: who leaves for one at once would not be asked', async () => {
    await stage.service.request('PATCH', `job_templates/${template}/`, { body: { survey_enabled: false } });
    await open('Colour');
    const box = page.getByLabel('Ask these questions at each launch');
    let goOn = () => undefined as void;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const path = `**/api/v2/job_templates/${template}/`;
    await page.route(path, async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await box.click();
    await page.locator('input[name=survey_enabled][aria-busy=true]').waitFor();
    expect(await box.isChecked()).to.equal(false);
    goOn();
    await until(() => box.isChecked());
    await page.unroute(path);
    await page.getByRole('link', { name: 'Launch Greet', exact: true }).click();
    await page.getByRole('main').getByLabel('Colour').waitFor();
  });
});
