import { expect } from 'chai';
import { ensureManagedTypes } from '../../core/credentials/managed-types.ts';
import { type Api, basic, startApi } from '../support/api.ts';
import { add, names } from '../inventory/seed.ts';

const custom = {
  name: 'Custom',
  kind: 'cloud',
  inputs: {
    fields: [
      { id: 'token', label: 'Token', secret: true },
      { id: 'on', label: 'On', type: 'boolean' },
    ],
    required: ['token'],
  },
};

/** contract/inventory-credentials.md §11.1 and §11.2 */
const delivered = [
  'AWS Secrets Manager lookup',
  'Amazon Web Services',
  'Ansible Galaxy/Automation Hub API Token',
  'Bitbucket Data Center HTTP Access Token',
  'Centrify Vault Credential Provider Lookup',
  'Container Registry',
  'CyberArk Central Credential Provider Lookup',
  'CyberArk Conjur Secrets Manager Lookup',
  'GPG Public Key',
  'GitHub App Installation Access Token Lookup',
  'GitHub Personal Access Token',
  'GitLab Personal Access Token',
  'Google Cloud Secret Manager',
  'Google Compute Engine',
  'HashiCorp Vault Secret Lookup',
  'HashiCorp Vault Signed SSH',
  'Insights',
  'Machine',
  'Microsoft Azure Key Vault',
  'Microsoft Azure Resource Manager',
  'Network',
  'OpenShift or Kubernetes API Bearer Token',
  'OpenStack',
  'Red Hat Ansible Automation Platform',
  'Red Hat Satellite 6',
  'Red Hat Virtualization',
  'Source Control',
  'Terraform backend configuration',
  'Thycotic DevOps Secrets Vault',
  'Thycotic Secret Server',
  'VMware vCenter',
  'Vault',
].toSorted((a, b) => a.localeCompare(b));

const sorted = (all: string[]) => all.toSorted((a, b) => a.localeCompare(b));

describe('credential types', () => {
  let api: Api;
  before(async () => void (api = await startApi()));
  after(() => api?.stop());
  let serial = 0;
  const create = (extra: object = {}) =>
    add(api, '/api/v2/credential_types/', { ...custom, name: `type ${++serial}`, ...extra });

  it('take a field without a label, as clients send it', async () => {
    const fields = [{ id: 'server', type: 'string', default: '', label: '' }];
    const sent = { name: 'Unlabelled', kind: 'cloud', inputs: { fields, required: [] } };
    const { status, body } = await api.admin('POST', '/api/v2/credential_types/', sent);
    expect([status, body.inputs?.fields?.[0]?.label]).to.deep.equal([201, '']);
  });

  it('that come with the service are found by namespace, and any login may read them', async () => {
    await add(api, '/api/v2/users/', { username: 'ann', password: 'pw' });
    const answer = await api.as(basic('ann', 'pw'))('GET', '/api/v2/credential_types/?managed=true&page_size=100');
    expect(sorted(names(answer))).to.deep.equal(delivered);
    const [machine, vault] = ['Machine', 'Vault'].map((name) =>
      answer.body.results.find((type: any) => type.name === name),
    );
    expect(machine).to.include({ namespace: 'ssh', kind: 'ssh', managed: true });
    const fields = Object.fromEntries(machine.inputs.fields.map((field: any) => [field.id, field]));
    expect(Object.keys(fields)).to.deep.equal([
      'username',
      'password',
      'ssh_key_data',
      'ssh_public_key_data',
      'ssh_key_unlock',
      'become_method',
      'become_username',
      'become_password',
    ]);
    expect(fields.password).to.include({ secret: true, ask_at_runtime: true });
    expect(fields.ssh_key_data).to.include({ secret: true, multiline: true, format: 'ssh_private_key' });
    expect(vault.inputs.required).to.deep.equal(['vault_password']);
  });

  it('that come with the service are what credentials below them are made of, by whoever may make credentials', async () => {
    const machine = (await api.admin('GET', '/api/v2/credential_types/?namespace=ssh')).body.results[0];
    await add(api, '/api/v2/users/', { username: 'bob', password: 'pw' });
    const bob = api.as(basic('bob', 'pw'));
    const path = `/api/v2/credential_types/${machine.id}/credentials/`;
    const id = (await bob('GET', '/api/v2/me/')).body.results[0].id;
    const made = await bob('POST', path, { name: 'mine', user: id });
    expect([made.status, made.body.credential_type]).to.deep.equal([201, machine.id]);
    const organization = await add(api, '/api/v2/organizations/', { name: 'Not his' });
    expect((await bob('POST', path, { name: 'theirs', organization: organization.id })).status).to.be.oneOf([400, 403]);
    expect((await api.admin('POST', path, { name: 'theirs', organization: organization.id })).status).to.equal(201);
  });

  it('that come with the service are brought up to date by every start, by many nodes at once', async () => {
    await api.db('credential_types').where({ namespace: 'ssh' }).update({ inputs: '{}', name: 'Old' });
    await Promise.all([ensureManagedTypes(api.db), ensureManagedTypes(api.db), ensureManagedTypes(api.db)]);
    const before = await api.db('credential_types').whereNotNull('namespace').orderBy('id');
    expect(sorted(before.map(({ name }) => name as string))).to.deep.equal(delivered);
    await ensureManagedTypes(api.db);
    expect(await api.db('credential_types').whereNotNull('namespace').orderBy('id')).to.deep.equal(before);
  });

  it('that users made under the name of one that comes with the service make room for it', async () => {
    await api.db('credential_types').where({ namespace: 'terraform' }).delete();
    const [mine] = await api
      .db('credential_types')
      .insert({ name: 'Terraform backend configuration', kind: 'cloud' })
      .returning('id');
    await ensureManagedTypes(api.db);
    expect(await api.db('credential_types').where({ id: mine.id }).first('name')).to.deep.equal({
      name: `Terraform backend configuration (${mine.id})`,
    });
    expect(await api.db('credential_types').where({ namespace: 'terraform' })).to.have.lengthOf(1);
    await api.db('credential_types').where({ id: mine.id }).delete();
  });

  it('that come with the service cannot be changed', async () => {
    const { url } = (await api.admin('GET', '/api/v2/credential_types/?namespace=ssh')).body.results[0];
    expect((await api.admin('PATCH', url, { description: 'x' })).status).to.equal(403);
    expect((await api.admin('DELETE', url)).status).to.equal(403);
  });

  it('are made by superusers, the type of each field filled in', async () => {
    const type = await create();
    expect(type).to.include({ namespace: null, managed: false, kind: 'cloud' });
    expect(type.inputs.fields[0]).to.deep.equal({ id: 'token', label: 'Token', type: 'string', secret: true });
    expect((await api.as(basic('ann', 'pw'))('POST', '/api/v2/credential_types/', custom)).status).to.equal(403);
    const again = await api.admin('POST', '/api/v2/credential_types/', { ...custom, name: type.name });
    expect(again.body.__all__[0]).to.include('already exists');
  });

  for (const kind of ['ssh', 'nothing', null, 5, undefined]) {
    it(`refuse the kind ${kind}`, async () => {
      expect(
        (await api.admin('POST', '/api/v2/credential_types/', { ...custom, name: 'k', kind })).body,
      ).to.have.all.keys('kind');
    });
  }

  const field = { id: 'a', label: 'A' };
  const badInputs: [string, unknown][] = [
    ['a list', []],
    ['another key', { fields: [], extra: 1 }],
    ['fields that are no list', { fields: {} }],
    ['a field without label', { fields: [{ id: 'a' }] }],
    ['another key in a field', { fields: [{ ...field, x: 1 }] }],
    ['an id with a leading digit', { fields: [{ ...field, id: '1a' }] }],
    ['an id with a blank', { fields: [{ ...field, id: 'a b' }] }],
    ['the reserved id', { fields: [{ ...field, id: 'tower' }] }],
    ['an id twice', { fields: [field, field] }],
    ['another type', { fields: [{ ...field, type: 'integer' }] }],
    ['a secret boolean', { fields: [{ ...field, type: 'boolean', secret: true }] }],
    ['a boolean with choices', { fields: [{ ...field, type: 'boolean', choices: ['x'] }] }],
    ['no choice', { fields: [{ ...field, choices: [] }] }],
    ['a choice twice', { fields: [{ ...field, choices: ['x', 'x'] }] }],
    ['a default of another type', { fields: [{ ...field, default: true }] }],
    ['a default that is no choice', { fields: [{ ...field, choices: ['x'], default: 'y' }] }],
    ['asking at launch', { fields: [{ ...field, ask_at_runtime: true }] }],
    ['dependencies', { fields: [field], dependencies: { a: ['a'] } }],
    ['another format', { fields: [{ ...field, format: 'vault_id' }] }],
    ['a required field that is none', { fields: [field], required: ['b'] }],
  ];
  for (const [what, inputs] of badInputs) {
    it(`refuse ${what} in inputs`, async () => {
      const { status, body } = await api.admin('POST', '/api/v2/credential_types/', { ...custom, name: 'bad', inputs });
      expect(status).to.equal(400);
      expect(body).to.have.all.keys('inputs');
    });
  }

  const badInjectors: [string, unknown][] = [
    ['another key', { files: {} }],
    ['a name that is none', { env: { 'a-b': 'x' } }],
    ['a name of the engine', { env: { ANSIBLE_HOST_KEY_CHECKING: 'x' } }],
    ['a reserved name', { env: { LD_PRELOAD: 'x' } }],
    ['a value beyond ASCII', { env: { A: 'ü' } }],
    ['a value that is no text', { env: { A: 5 } }],
    ['one and several files', { file: { template: 'x', 'template.a': 'y' } }],
    ['a file of another name', { file: { other: 'x' } }],
    ['null in extra_vars', { extra_vars: { a: null } }],
    ['a name that the run needs', { env: { TMPDIR: 'x' } }],
    ['a name of the C library', { env: { MALLOC_TRACE: 'x' } }],
    ['a template that does not parse', { env: { A: '{{ token' } }],
    ['a tag that is not part of the language', { env: { A: '{% include "x" %}' } }],
    ['a name that is no field', { env: { A: '{{ other }}' } }],
    ['a name that is no field, in a branch that is not taken', { env: { A: '{% if false %}{{ other }}{% endif %}' } }],
    ['a name that is no field, in a key', { extra_vars: { a: { '{{ other }}': 'x' } } }],
    ['a filter that there is none of', { env: { A: '{{ token | shell }}' } }],
    ['a test that there is none of', { env: { A: '{{ token is evil }}' } }],
    ['a private attribute', { env: { A: '{{ token.__class__ }}' } }],
    ['a file that there is none of', { file: { 'template.a': 'x' }, env: { A: '{{ tower.filename.b }}' } }],
    [
      'the path of one file where there are several',
      { file: { 'template.a': 'x' }, env: { A: '{{ tower.filename }}' } },
    ],
    ['the path of a file in a file', { file: { template: '{{ tower.filename }}' } }],
    ['all that is about files at once', { file: { template: 'x' }, env: { A: '{{ tower }}' } }],
  ];
  for (const [what, injectors] of badInjectors) {
    it(`refuse ${what} in injectors`, async () => {
      const { status, body } = await api.admin('POST', '/api/v2/credential_types/', {
        ...custom,
        name: 'bad',
        injectors,
      });
      expect(status).to.equal(400);
      expect(body).to.have.all.keys('injectors');
    });
  }

  it('say which template is wrong, and judge the stored ones again when the fields change', async () => {
    const injectors = { env: { GOOD: '{{ token }}', BAD: '{{ tokens }}' } };
    const { body } = await api.admin('POST', '/api/v2/credential_types/', { ...custom, name: 'bad', injectors });
    expect(body.injectors).to.deep.equal([`env.BAD: 'tokens' is undefined: it is no field of this type`]);
    const type = await create({ injectors: { env: { GOOD: '{{ token }}' } } });
    const renamed = await api.admin('PATCH', type.url, { inputs: { fields: [{ id: 'other', label: 'Other' }] } });
    expect([renamed.status, Object.keys(renamed.body)]).to.deep.equal([400, ['injectors']]);
  });

  it('may make names of their own in templates', async () => {
    const template =
      "{% set all = token.split(',') %}{% for one in all %}{{ loop.index }}{{ one | default('x', true) }}{% endfor %}{{ range(3) | list }}{{ 'a' if on else none }}";
    expect((await create({ injectors: { env: { A: template } } })).injectors.env).to.deep.equal({ A: template });
  });

  it('keep injectors of the right shape', async () => {
    const injectors = {
      file: { 'template.cert': '{{ token }}' },
      env: { TOKEN: '{{ token }}', CERT: '{{ tower.filename.cert }}' },
      extra_vars: { nested: { list: ['{{ token }}'] } },
    };
    expect((await create({ injectors })).injectors).to.deep.equal(injectors);
  });

  it('are what credentials are judged by', async () => {
    const type = await create();
    const made = await add(api, `${type.url}credentials/`, {
      name: 'c',
      user: 1,
      inputs: { token: 'canary', on: true },
    });
    expect(made.inputs).to.deep.equal({ token: '$encrypted$', on: true });
    expect(made).to.include({ kind: null, cloud: true });
    expect((await api.admin('PATCH', made.url, { inputs: { token: 'x', on: 'yes' } })).body.inputs).to.have.all.keys(
      'on',
    );
  });

  it('keep their inputs while credentials use them', async () => {
    const type = await create();
    await add(api, `${type.url}credentials/`, { name: 'used', user: 1, inputs: { token: 'x' } });
    const open = { fields: [{ id: 'token', label: 'Token' }] };
    expect((await api.admin('PATCH', type.url, { inputs: open })).status, 'it would reveal the secret').to.equal(403);
    expect((await api.admin('PATCH', type.url, { inputs: type.inputs, description: 'same' })).status).to.equal(200);
    expect((await api.admin('DELETE', type.url)).status).to.equal(403);
  });
});
