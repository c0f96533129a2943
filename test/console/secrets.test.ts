import { createServer } from 'node:http';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { credentialCell } from '../../core/secrets/cells.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { openStage, play, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: secrets', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage({}, { more: { 'count.yml': play('    - debug: {msg: "{{ who | length }} letters"}\n') } });
    page = stage.page;
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const box = (label: string) => page.getByRole('textbox', { name: new RegExp(`^${label}`) });
  const secret = (label: string) => page.locator('.secret', { has: page.getByLabel(new RegExp(`^${label}`)) });
  const save = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/(?:is|are) saved\./)
      .first()
      .waitFor();
  };
  const isEmpty = async (label: string) => {
    const control = page.getByLabel(new RegExp(`^${label}`));
    await control.waitFor();
    expect([await control.inputValue(), await control.getAttribute('type')]).to.deep.equal(['', 'password']);
    return control;
  };

  const machine = async (inputs: object) => {
    const { id: credential_type } = await stage.service.services
      .db('credential_types')
      .where({ namespace: 'ssh' })
      .first('id');
    return stage.make('credentials/', { name: 'Machine key', organization: 1, credential_type, inputs });
  };

  it('of a credential are no text of their control: left alone they stay, typing replaces, a button removes', async () => {
    const { db, keyRing } = stage.service.services;
    const { id } = await machine({ username: 'keeper', password: 'hush', become_password: 'hush too' });
    const stored = async (input: string) => {
      const { inputs } = await db('credentials').where({ id }).first('inputs');
      return inputs[input] === undefined ? undefined : keyRing.decrypt(inputs[input], credentialCell(id, input));
    };
    await stage.open(`/credentials/${id}/edit`);
    const password = await isEmpty('Password');
    await secret('Password').getByText('A value is stored').waitFor();
    // nothing was stored: there is nothing to keep
    await isEmpty('Private Key Passphrase');
    expect(await secret('Private Key Passphrase').getByRole('button').count()).to.equal(0);
    await password.pressSequentially('x');
    await secret('Password').getByText('What is stored will be replaced.').waitFor();
    await password.fill('');
    await secret('Password').getByText('A value is stored').waitFor();
    await box('Username').fill('chief');
    await save();
    expect([await stored('password'), await stored('become_password')]).to.deep.equal(['hush', 'hush too']);

    await stage.open(`/credentials/${id}/edit`);
    await (await isEmpty('Password')).pressSequentially('louder');
    const elevated = secret('Privilege Escalation Password');
    await elevated.getByRole('button', { name: /^Remove what is stored/ }).click();
    await elevated.getByText('What is stored will be removed.').waitFor();
    await elevated.getByRole('button', { name: /^Keep what is stored/ }).click();
    await elevated.getByText('A value is stored').waitFor();
    await elevated.getByRole('button', { name: /^Remove what is stored/ }).click();
    await save();
    expect([await stored('password'), await stored('become_password')]).to.deep.equal(['louder', undefined]);
  });

  it('of a user and of the settings as well, as OPTIONS says which those are', async () => {
    const { id } = await stage.make('users/', { username: 'warden', password: 'long enough 1' });
    await stage.open(`/users/${id}/edit`);
    await isEmpty('Password');
    // a password is replaced, never taken away
    expect(await secret('Password').getByRole('button').count()).to.equal(0);
    await page.getByLabel(/^First name/).fill('Willa');
    await save();
    const other = await stage.fresh();
    await stage.logIn(other, 'warden', 'long enough 1');
    await other.context().close();

    const value = async () => (await stage.service.get('settings/oidc/')).body.SOCIAL_AUTH_OIDC_SECRET;
    const label = 'Social auth oidc secret';
    await stage.open('/settings/oidc');
    await (await isEmpty(label)).pressSequentially('canary');
    await save();
    expect(await value()).to.equal('$encrypted$');
    await secret(label).getByText('A value is stored').waitFor();
    await isEmpty(label);
    await secret(label)
      .getByRole('button', { name: /^Remove what is stored/ })
      .click();
    await save();
    await until(async () => (await value()) === '');
    await secret(label).getByText('A value is stored').waitFor({ state: 'detached' });
  });

  it('of a survey are kept as its default, and replaced by an answer', async () => {
    const spec = { question_name: 'Which word?', variable: 'who', type: 'password', required: true, default: 'hush' };
    const { id } = await stage.template('count.yml', { name: 'Ask a word' });
    await stage.service.post(`job_templates/${id}/survey_spec/`, { name: '', description: '', spec: [spec] });
    await stage.service.request('PATCH', `job_templates/${id}/`, { body: { survey_enabled: true } });
    await stage.open(`/templates/${id}?tab=survey`);
    await page.getByRole('button', { name: 'Edit Which word?' }).click();
    await isEmpty('Default');
    await page.getByLabel('Explanation').fill('Softly.');
    await page.getByRole('button', { name: 'Store question' }).click();
    await page.getByRole('button', { name: 'Edit Which word?' }).waitFor();
    const launch = async (answer: string) => {
      await stage.open(`/templates/${id}/launch`);
      await (await isEmpty('Which word')).pressSequentially(answer);
      await page.getByRole('button', { name: 'Launch', exact: true }).click();
      await page.getByText(`${(answer || 'hush').length} letters`).waitFor();
    };
    await launch('');
    await launch('louder');
  });

  it('and all else of a credential are what the type asks for that is chosen when it is sent', async () => {
    const choose = async (name: string) => {
      const type = page.getByRole('combobox', { name: /^Credential type/ });
      await type.fill(name);
      await page
        .getByRole('option', { name: new RegExp(`^${name}`) })
        .first()
        .click();
    };
    await stage.open('/credentials/new?organization=1');
    await page.getByLabel('Name', { exact: true }).fill('Changed mind');
    await choose('Machine');
    await box('Username').fill('keeper');
    await page.getByLabel(/^Privilege Escalation Username/).fill('root');
    await choose('Source Control');
    await page.getByRole('group', { name: 'Source Control' }).waitFor();
    await until(async () => (await box('Username').inputValue()) === '');
    await box('Username').fill('puller');
    // back, and what was typed there is there again
    await choose('Machine');
    await page.getByRole('group', { name: 'Machine' }).waitFor();
    await until(async () => (await box('Username').inputValue()) === 'keeper');
    await choose('Source Control');
    await page.getByRole('group', { name: 'Source Control' }).waitFor();
    await page.getByRole('button', { name: 'Create credential' }).click();
    await page.getByRole('heading', { name: 'Changed mind', level: 1 }).waitFor();
    const { body } = await stage.service.get('credentials/?name=Changed mind');
    expect(body.results[0].inputs).to.deep.equal({ username: 'puller' });
  });

  it('that stand elsewhere are tried: found, refused with its reason, and what is missing told at its field', async () => {
    // the far end: a vault that knows one secret
    const vault = createServer(({ url }, answer) =>
      url === '/v1/secret/data/till'
        ? answer.end(JSON.stringify({ data: { data: { password: 'canary-hush' } } }))
        : answer.writeHead(403).end(),
    );
    const port = await new Promise<number>((resolve) =>
      vault.listen(0, '127.0.0.1', () => resolve((vault.address() as { port: number }).port)),
    );
    try {
      const body = { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] };
      expect((await stage.service.request('PATCH', 'settings/system/', { body })).status).to.equal(200);
      const { id: credential_type } = await stage.service.services
        .db('credential_types')
        .where({ namespace: 'hashivault_kv' })
        .first('id');
      const inputs = { url: `http://127.0.0.1:${port}`, token: 'x', api_version: 'v2' };
      const { id } = await stage.make('credentials/', { name: 'Safe', organization: 1, credential_type, inputs });
      await stage.open(`/credentials/${id}`);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Test Safe' });
      const [path, key] = [dialog.getByLabel(/^Path to Secret/), dialog.getByLabel(/^Key Name/)];
      const look = () => dialog.getByRole('button', { name: 'Look it up' }).click();
      await path.fill('secret/elsewhere');
      await look();
      await until(async () => (await key.getAttribute('aria-invalid')) === 'true');
      await key.fill('password');
      await look();
      await dialog
        .getByRole('alert')
        .getByText(/^the secret was refused with 403/)
        .waitFor();
      await path.fill('secret/till');
      await look();
      await page.getByText('The secret was found.').waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.content()).to.not.include('canary-hush');
    } finally {
      vault.close();
    }
  });

  it('and a default among those is emptied like any other text, for another one or for good', async () => {
    const { id: credential_type } = await stage.service.services
      .db('credential_types')
      .where({ namespace: 'hashivault_kv' })
      .first('id');
    const inputs = { url: 'https://vault.example.com', token: 'hush', api_version: 'v2' };
    const { id } = await stage.make('credentials/', { name: 'Vault', organization: 1, credential_type, inputs });
    const path = async () => (await stage.service.get(`credentials/${id}/`)).body.inputs.default_auth_path;
    const auth = box('Path to Auth');
    await stage.open(`/credentials/${id}/edit`);
    await until(async () => (await auth.inputValue()) === 'approle');
    await auth.press('ControlOrMeta+a');
    await auth.press('Backspace');
    await auth.pressSequentially('jwt');
    await save();
    expect(await path()).to.equal('jwt');

    await stage.open(`/credentials/${id}/edit`);
    await until(async () => (await auth.inputValue()) === 'jwt');
    await auth.fill('');
    await save();
    expect(await path()).to.equal('');
    await stage.open(`/credentials/${id}/edit`);
    await isEmpty('Token');
    expect(await auth.inputValue()).to.equal('');
  });
});
