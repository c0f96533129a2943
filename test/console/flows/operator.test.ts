import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeWith } from '../../support/needs.ts';
import { until } from '../../support/until.ts';
import type { Person } from './person.ts';
import { scene } from './scene.ts';

/** Of a survey that a release is launched with. */
const questions = [
  { type: 'text', question_name: 'Whom to greet?', variable: 'who', required: true, min: 3, max: 20, default: '' },
];
const making = ['Edit', 'Copy', 'Delete', 'New template', 'Add credential', 'Add question', 'Give a role'];

describeWith(['chromium'], 'flows of an operator, who may execute what others made', () => {
  const own: Record<string, number> = {};
  const here = scene(async ({ template, make, user, release, service }) => {
    const templates = {
      Greet: ['greet.yml', {}],
      Fail: ['failing.yml', { description: 'Opens the vault' }],
      Hold: ['held.yml', { extra_vars: JSON.stringify({ release }) }],
      Secret: ['greet.yml', {}],
    } as const;
    for (const [name, [playbook, more]] of Object.entries(templates))
      own[name] = (await template(playbook, { name, ...more })).id;
    await service.post(`job_templates/${own['Greet']}/survey_spec/`, { name: '', description: '', spec: questions });
    await service.request('PATCH', `job_templates/${own['Greet']}/`, { body: { survey_enabled: true } });
    own['Ship'] = (await make('workflow_job_templates/', { name: 'Ship', organization: 1 })).id;
    const node = await make(`workflow_job_templates/${own['Ship']}/workflow_nodes/`, {});
    await make(`workflow_job_template_nodes/${node.id}/create_approval_template/`, { name: 'Go live?' });
    await user(
      'olga',
      {},
      {
        ...Object.fromEntries(['Greet', 'Fail', 'Hold'].map((name) => [`job_templates/${own[name]}`, 'execute_role'])),
        [`workflow_job_templates/${own['Ship']}`]: 'approval_role',
      },
    );
  });
  let olga: Person;
  beforeEach(async () => {
    olga = await here.person('olga');
  });
  const ends = (status: string) => olga.isTold(new RegExp(`^Job \\d+: ${status}$`));
  const launches = async (name: string) => {
    await olga.opens('Templates');
    await olga.follows(`Launch ${name}`);
    await olga.isAt(`Launch ${name}`);
  };

  it('finds in the menu and the list only what is for them, and nothing to make or change', async () => {
    await olga.opens('Templates');
    await olga.sees('3 templates');
    expect(await olga.isOffered('New template')).to.deep.equal([]);
    await olga.follows('Greet');
    for (const part of ['Credentials', 'Survey', 'Access']) {
      await olga.turnsTo(part);
      expect(await olga.isOffered(...making), part).to.deep.equal([]);
    }
    const menu = olga.within('navigation', 'Main');
    expect(await menu.isOffered('Settings', 'Audit', 'Plugins')).to.deep.equal([]);
  });

  it('launches, is told what an answer must be, and watches it to its end', async () => {
    await launches('Greet');
    await olga.fills('Whom to greet?', 'me');
    await olga.presses('Launch');
    await olga.sees(/^'who' is too small/);
    await olga.fills('Whom to greet?', 'everybody');
    await olga.presses('Launch');
    await olga.sees('"msg": "hello everybody"');
    await ends('Successful');
  });

  it('reads why a job failed and what to do, and runs it again', async () => {
    await launches('Fail');
    await olga.presses('Launch');
    await ends('Failed');
    const failed = olga.within('region', 'What failed');
    await failed.sees('Open the vault door', /What to do: Becoming another user needs a password/);
    await failed.follows(/^Show line \d+ of the output/);
    await olga.sees(/^fatal: \[web1\]/);
    const { id } = olga;
    await olga.presses('Relaunch');
    await until(() => Promise.resolve(olga.id !== id && olga.id > 0));
    await ends('Failed');
  });

  it('stops a job of their own that hangs', async () => {
    rmSync(here.release, { force: true });
    await launches('Hold');
    await olga.presses('Launch');
    await olga.sees('"msg": "begun"');
    await olga.presses('Cancel job');
    await olga.dialog('Cancel Hold?').presses('Cancel job');
    await ends('Canceled');
    writeFileSync(here.release, '');
  });

  it('launches without touching the mouse', async () => {
    await olga.opens('Overview');
    await olga.callsPalette();
    await olga.types('fail');
    await olga.dialog().has('option', /^Launch Fail/);
    // the last of what fits
    await olga.strikes('ArrowUp', 'Enter');
    await olga.isAt('Launch Fail');
    while (!(await olga.isOn('button', 'Launch'))) await olga.strikes('Tab');
    await olga.strikes('Enter');
    await ends('Failed');
  });

  it('has what they may launch launched every morning, and pauses that', async () => {
    await olga.opens('Templates');
    await olga.follows('Fail');
    await olga.turnsTo('Schedules');
    await olga.follows('Add schedule');
    await olga.fillsIn({ Name: 'Each morning', Start: '2030-01-15T07:00' });
    await olga.presses('Create schedule');
    await olga.isAt('Each morning');
    await olga.presses('Switch off Each morning');
    await olga.isTold('Each morning is switched off.');
    await olga.opens('Schedules');
    await olga.row('Each morning').has('button', 'Switch on Each morning');
  });

  it('approves what waits for them, and refuses the next', async () => {
    for (const [word, status] of [
      ['Approve', 'Approved'],
      ['Deny', 'Denied'],
    ] as const) {
      await here.make(`workflow_job_templates/${own['Ship']}/launch/`, {});
      await olga.opens('Approvals');
      await olga.presses(`${word} Go live?`);
      await olga.dialog().presses(word);
      await olga.within('table', 'Approvals that are decided').rowWith(status).sees('olga');
    }
  });

  it('gets a clear no at addresses that others sent', async () => {
    const answers: Record<string, RegExp> = {
      [`/templates/${own['Greet']}/edit`]: /^You may not change this template\.$/,
      '/templates/new': /^You may not create any template\.$/,
      '/credentials/new': /./,
      [`/templates/${own['Secret']}`]: /^There is no such template, or it is not yours to see\.$/,
      [`/templates/${own['Secret']}/launch`]: /^There is no such template, or it is not yours to see\.$/,
      '/users/new': /^You may not create any user\.$/,
      '/settings/jobs': /may not see/,
      '/plugins': /^You may not see this list of plugins\.$/,
      '/no/such/page': /No page here/,
    };
    for (const [address, answer] of Object.entries(answers)) {
      await olga.goesTo(address);
      await olga.sees(answer);
      expect(await olga.isOffered('Save'), address).to.deep.equal([]);
    }
  });

  it('does not see what others ran, even with its number', async () => {
    const { job } = await here.make(`job_templates/${own['Secret']}/launch/`, {});
    await olga.goesTo(`/jobs/${job}`);
    await olga.sees('There is no such job, or it is not yours to see.');
    await olga.opens('Jobs');
    await olga.searchesFor('Secret');
    await olga.sees('There is none of these.');
  });

  it('makes a token for a script of their own that can do no more than they', async () => {
    await olga.opens('Tokens');
    await olga.follows('New token');
    await olga.fills('Description', 'My script');
    await olga.presses('Create token');
    const auth = (await olga.page.locator('dialog pre').textContent())!.trim();
    await olga.dialog('Token').presses('I have it');
    await olga.isAt('My script');
    const may = (path: string, body: object) => here.service.post(path, body, { auth }).then(({ status }) => status);
    expect(await may(`job_templates/${own['Fail']}/launch/`, {})).to.equal(201);
    expect(await may('job_templates/', { name: 'Mine' })).to.equal(403);
  });
});
