import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Core } from '@tapline/plugin-sdk/testing';
import { expect } from 'chai';
import { startCore } from '../../core/testing/start-core.ts';
import { describeWith } from '../support/needs.ts';
import { type Bao, startBao } from './bao-server.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const playbook = `- hosts: all
  gather_facts: false
  tasks:
    - debug: { msg: "token {{ lookup('env', 'MY_TOKEN') }} of {{ lookup('env', 'MY_TOKEN') | length }} characters" }
`;

describeWith(['bao', 'ssh-keygen', 'openssl'], 'inputs of credentials in a vault', function () {
  let core: Core;
  let bao: Bao;
  let cluster: Cluster;
  const folder = mkdtempSync(join(tmpdir(), 'tapline-vault-'));
  const tokenFile = join(folder, 'token');
  const types: Record<string, number> = {};
  before(async () => {
    const env = { TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '["127.0.0.0/8"]', KUBERNETES_TOKEN_FILE: tokenFile };
    [bao, cluster, core] = await Promise.all([startBao(), startCluster(), startCore({ engine: true, env })]);
    writeFileSync(tokenFile, `${cluster.token}\n`);
    const { results } = (await core.admin.get('credential_types/?page_size=200')).body;
    for (const { namespace, id } of results) types[namespace] = id;
    await bao.write('sys/mounts/old', { type: 'kv', options: { version: '1' } });
    await bao.write('old/team a/db', { password: 'canary-kv-1', 'odd key': 'yes' });
    await bao.write('secret/data/db', { data: { password: 'canary-first' } });
    await bao.write('secret/data/db', { data: { password: 'canary-kv-2' } });
    await bao.write('sys/policies/acl/reader', { policy: 'path "secret/*" { capabilities = ["read"] }' });
  });
  after(async () => {
    await core?.stop();
    cluster?.stop();
    await bao?.stop();
    removeFolder(folder);
  });

  let serial = 0;
  const made = async (path: string, body: object) => {
    const { status, text, body: shown } = await core.admin.post(path, body);
    expect(status, text).to.equal(201);
    return shown;
  };
  const credential = (credential_type: number, inputs: object) =>
    made('credentials/', { name: `c${++serial}`, organization: 1, credential_type, inputs });
  const kv = (inputs: object = {}) =>
    credential(types['hashivault_kv']!, { url: bao.url, api_version: 'v2', token: bao.token, ...inputs });
  const tried = async (id: number, metadata: object, inputs?: object) => {
    const { status, body } = await core.admin.post(`credentials/${id}/test/`, { metadata, ...(inputs && { inputs }) });
    return status === 202 ? body : body.inputs;
  };
  const db = { secret_path: 'secret/db', secret_key: 'password' };

  it('are read from both versions of the key-value engine', async () => {
    const two = await kv();
    expect(await tried(two.id, db)).to.deep.equal({});
    expect(await tried(two.id, { ...db, secret_version: '1' })).to.deep.equal({});
    expect(await tried(two.id, { ...db, secret_version: '9' })).to.match(/^the secret was refused with 404/);
    expect(await tried(two.id, { secret_path: '/db', secret_backend: 'secret', secret_key: 'password' })).to.deep.equal(
      {},
    );
    expect(await tried(two.id, { ...db, secret_key: 'other' })).to.equal('the secret has no value of the name "other"');
    const one = await kv({ api_version: 'v1' });
    expect(await tried(one.id, { secret_path: '/old/team a/db', secret_key: 'odd key' })).to.deep.equal({});
  });

  it('are reached by each way to log in', async () => {
    await bao.write('sys/auth/approle', { type: 'approle' });
    await bao.write('auth/approle/role/tap', { token_policies: 'reader' });
    const { role_id } = (await bao.write('auth/approle/role/tap/role-id')).data;
    const { secret_id } = (await bao.write('auth/approle/role/tap/secret-id', {})).data;
    await bao.write('sys/auth/people', { type: 'userpass' });
    await bao.write('auth/people/users/ann', { password: 'canary-ann', token_policies: 'reader' });
    const none = { token: '' };
    expect(await tried((await kv({ ...none, role_id, secret_id })).id, db)).to.deep.equal({});
    const ann = { ...none, username: 'ann', password: 'canary-ann' };
    expect(await tried((await kv({ ...ann, default_auth_path: 'people' })).id, db)).to.deep.equal({});
    expect(await tried((await kv(ann)).id, { ...db, auth_path: 'people' })).to.deep.equal({});
    expect(await tried((await kv({ ...ann, password: 'wrong' })).id, { ...db, auth_path: 'people' })).to.match(
      /^the login was refused with 400: invalid username or password/,
    );
    expect(await tried((await kv({ token: 'nobody' })).id, db)).to.match(
      /^the secret was refused with 403: permission denied/,
    );
  });

  it('are reached by the account of this node in a cluster, where an administrator named the vault', async () => {
    await bao.write('sys/auth/kubernetes', { type: 'kubernetes' });
    const reviewer = { token_reviewer_jwt: cluster.token, kubernetes_ca_cert: bao.tls.authority };
    await bao.write('auth/kubernetes/config', { kubernetes_host: cluster.url, ...reviewer });
    const bound = { bound_service_account_names: 'tap', bound_service_account_namespaces: 'default' };
    await bao.write('auth/kubernetes/role/reader', { ...bound, token_policies: 'reader' });
    const { id } = await kv({ token: '', kubernetes_role: 'reader' });
    const named = async (hosts: string[]) => {
      const answer = await core.admin.patch('settings/system/', { VAULT_KUBERNETES_HOSTS: hosts });
      expect(answer.status, answer.text).to.equal(200);
    };
    await named(['vault.example.org']);
    expect(await tried(id, db)).to.match(/to the vaults of the setting VAULT_KUBERNETES_HOSTS alone/);
    expect(cluster.reviewed).to.deep.equal([]);
    await named([bao.url]);
    expect(await tried(id, db)).to.deep.equal({});
    expect(cluster.reviewed).to.deep.equal([cluster.token]);
    expect(await tried((await kv({ token: '', kubernetes_role: 'nobody' })).id, db)).to.match(
      /^the login was refused with 400: /,
    );
    writeFileSync(tokenFile, 'canary-other');
    const other = await tried(id, db);
    expect(other)
      .to.match(/^the login was refused with /)
      .and.not.to.include('canary-other');
  });

  it('are reached over TLS with the certificate of a client, by its authority alone', async () => {
    const { url, authority, client } = bao.tls;
    await bao.write('sys/auth/cert', { type: 'cert' });
    await bao.write('auth/cert/certs/nodes', { certificate: authority, token_policies: 'reader' });
    const shown = { client_cert_public: client.certificate, client_cert_private: client.key };
    const over = async (inputs: object) => tried((await kv({ url, token: '', ...inputs })).id, db);
    expect(await over({ cacert: authority, ...shown })).to.deep.equal({});
    expect(await over({ cacert: authority, ...shown, client_cert_role: 'nodes' })).to.deep.equal({});
    expect(await over({ cacert: authority, ...shown, client_cert_role: 'nobody' })).to.match(
      /^the login was refused with 400/,
    );
    expect(await over(shown)).to.match(/certificate/);
    expect(await over({ cacert: authority, token: bao.token })).to.deep.equal({});
  });

  it('have a public key signed', async () => {
    await bao.write('sys/mounts/ssh', { type: 'ssh' });
    await bao.write('ssh/config/ca', { generate_signing_key: true });
    await bao.write('ssh/roles/ops', { key_type: 'ca', allow_user_certificates: true, allowed_users: '*', ttl: '5m' });
    const folder = mkdtempSync(join(tmpdir(), 'tapline-key-'));
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
    const public_key = readFileSync(join(folder, 'key.pub'), 'utf8');
    removeFolder(folder);
    const signer = await credential(types['hashivault_ssh']!, { url: bao.url, token: bao.token });
    const signed = { secret_path: 'ssh', public_key, role: 'ops', valid_principals: 'deploy' };
    expect(await tried(signer.id, signed)).to.deep.equal({});
    expect(await tried(signer.id, { ...signed, role: 'none' })).to.match(/^the signature was refused with 400: /);
  });

  it('are read when a job starts, kept nowhere, and masked in what it says', async () => {
    const vault = await kv();
    const { id: own } = await made('credential_types/', {
      name: 'Own',
      kind: 'cloud',
      inputs: { fields: [{ id: 'token', label: 'Token', secret: true }], required: ['token'] },
      injectors: { env: { MY_TOKEN: '{{ token }}' } },
    });
    const target = await credential(own, {});
    await made(`credentials/${target.id}/input_sources/`, {
      input_field_name: 'token',
      source_credential: vault.id,
      metadata: db,
    });
    const template = await core.makeTemplate({ playbook });
    await core.admin.post(`job_templates/${template.id}/credentials/`, { id: target.id });
    const launched = async () =>
      (await core.ended((await core.admin.post(`job_templates/${template.id}/launch/`)).body.id)) as any;
    const job = await launched();
    expect(job.status, job.job_explanation).to.equal('successful');
    const { text } = await core.admin.get(`jobs/${job.id}/stdout/?format=txt`);
    expect(text).to.include('token $encrypted$ of 11 characters');
    const kept = await core.db('runs').where({ id: job.id }).first();
    expect(kept.handle).not.to.have.property('mask');
    expect(JSON.stringify([kept, await core.db('credentials').select()])).not.to.include('canary-kv-2');

    await bao.write('sys/seal', {}, 'PUT');
    const failed = await launched();
    expect([failed.status, failed.job_explanation]).to.deep.equal([
      'failed',
      `Credential "${target.name}": its Token could not be looked up by "${vault.name}": the secret was refused with 503: Vault is sealed.`,
    ]);
  });
});
