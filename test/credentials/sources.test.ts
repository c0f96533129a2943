import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpRequest } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Inputs } from '../../core/credentials/input-schema.ts';
import { readSecret } from '../../core/credentials/lookups.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { CredentialSources } from '../../core/credentials/sources/registry.ts';

interface Asked extends HttpRequest {
  url: string;
}

const answered = (body: unknown, status = 200) => ({ status, headers: {}, body: Buffer.from(text(body)) });
const text = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

const account = { tokenFile: '', hosts: () => ['v.test'] };
const sources = new CredentialSources([], account);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

/**
 * The servers are far away: what is asked of them is held against the documentation of their protocols, and they answer as it
 * says. The protocol of Vault is tried with a real server in vault.test.ts.
 */
async function looked(namespace: string, inputs: Inputs, metadata: Inputs, ...answers: ReturnType<typeof answered>[]) {
  const asked: Asked[] = [];
  const outbound = {
    request: async (url: string, options: HttpRequest = {}) => {
      asked.push({ url, ...options });
      return answers[asked.length - 1] ?? answered('nobody asked for this', 500);
    },
  };
  const schema = sources.types().find((type) => type.namespace === namespace)!;
  const type = { id: 1, name: schema.name, kind: 'external', namespace, inputs: schema.inputs, injectors: {} };
  const value = await readSecret({ outbound, credentialSources: sources }, { type, inputs }, metadata).catch(
    (error: Error) => error.message,
  );
  return { value, asked };
}

describe('places of secrets', () => {
  it('CyberArk CCP: the account is asked for by its query, with the certificate of the application', async () => {
    const { value, asked } = await looked(
      'aim',
      { url: 'https://ccp.test/', app_id: 'me', client_cert: 'CERT', client_key: 'KEY', verify: false },
      { object_query: 'Safe=A;Object=b c', reason: 'why not' },
      answered({ Content: 'pw', UserName: 'ann' }),
    );
    expect(value).to.equal('pw');
    expect(asked[0]).to.deep.include({
      url: 'https://ccp.test/AIMWebService/api/Accounts?AppId=me&Query=Safe%3DA%3BObject%3Db%20c&QueryFormat=Exact&reason=why%20not',
      verifyTls: false,
      tls: { cert: 'CERT', key: 'KEY' },
    });
  });

  it('Conjur: a token is got by the key, and shown in base64', async () => {
    const token = { protected: 'x', payload: 'y', signature: 'z' };
    const { value, asked } = await looked(
      'conjur',
      { url: 'https://conjur.test', api_key: 'key', account: 'acme', username: 'host/tap', cacert: 'CA' },
      { secret_path: 'db/pass word', secret_version: '3' },
      answered(token),
      answered('the value'),
    );
    expect(value).to.equal('the value');
    expect(asked[0]).to.deep.include({
      url: 'https://conjur.test/authn/acme/host%2Ftap/authenticate',
      method: 'POST',
      body: 'key',
      tls: { ca: 'CA' },
    });
    expect(asked[1]!.url).to.equal('https://conjur.test/secrets/acme/variable/db%2Fpass%20word?version=3');
    expect(asked[1]!.headers).to.deep.equal({
      authorization: `Token token="${Buffer.from(JSON.stringify(token)).toString('base64')}"`,
    });
  });

  it('Azure Key Vault: a client grant of its cloud, then the secret', async () => {
    const { value, asked } = await looked(
      'azure_kv',
      { url: 'https://kv.vault.azure.cn/', client: 'c', secret: 's', tenant: 't', cloud_name: 'AzureChinaCloud' },
      { secret_field: 'name' },
      answered({ access_token: 'tok' }),
      answered({ value: 'v' }),
    );
    expect(value).to.equal('v');
    expect(asked[0]!.url).to.equal('https://login.chinacloudapi.cn/t/oauth2/v2.0/token');
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]!.body)))).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: 'c',
      client_secret: 's',
      scope: 'https://vault.azure.cn/.default',
    });
    expect(asked[1]).to.deep.include({
      url: 'https://kv.vault.azure.cn/secrets/name?api-version=7.4',
      headers: { authorization: 'Bearer tok' },
    });
  });

  it('AWS Secrets Manager: one signed request to the region', async () => {
    const keys = { aws_access_key: 'AKIDEXAMPLE', aws_secret_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
    const where = { region_name: 'eu-west-1', secret_name: 'prod/db' };
    const { value, asked } = await looked(
      'aws_secretsmanager_credential',
      keys,
      where,
      answered({ SecretString: 's' }),
    );
    expect(value).to.equal('s');
    const [{ url, headers = {}, body }] = asked as [Asked];
    expect([url, body]).to.deep.equal(['https://secretsmanager.eu-west-1.amazonaws.com/', '{"SecretId":"prod/db"}']);
    expect(headers['x-amz-target']).to.equal('secretsmanager.GetSecretValue');
    const [, signed, signature] =
      /Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/secretsmanager\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
        headers['Authorization']!,
      )!;
    expect(signed).to.include('host').and.include('x-amz-target');
    expect(signature).to.match(/^[0-9a-f]{64}$/);
    const odd = await looked('aws_secretsmanager_credential', keys, { ...where, region_name: 'x.evil.test/' });
    expect([odd.value, odd.asked]).to.deep.equal(['"x.evil.test/" is no region', []]);
    const binary = answered({ SecretBinary: Buffer.from('raw').toString('base64') });
    expect((await looked('aws_secretsmanager_credential', keys, where, binary)).value).to.equal('raw');
  });

  it('Google Secret Manager: a signed claim for a token, then the version', async () => {
    const account = JSON.stringify({ client_email: 'a@b', private_key: pem, project_id: 'mine' });
    const { value, asked } = await looked(
      'gcp_secret_manager',
      { service_account: account },
      { secret_name: 'db' },
      answered({ access_token: 'tok' }),
      answered({ payload: { data: Buffer.from('väl').toString('base64') } }),
    );
    expect(value).to.equal('väl');
    const assertion = new URLSearchParams(String(asked[0]!.body)).get('assertion')!;
    const [head, claims, signature] = assertion.split('.') as [string, string, string];
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).to.equal(
      true,
    );
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).to.include({ iss: 'a@b' });
    expect(asked[1]!.url).to.equal(
      'https://secretmanager.googleapis.com/v1/projects/mine/secrets/db/versions/latest:access',
    );
    expect((await looked('gcp_secret_manager', { service_account: 'x' }, { secret_name: 'a' })).value).to.equal(
      'the service account is no JSON object',
    );
  });

  it('GitHub App: a token of the installation by a claim of the app', async () => {
    const { value, asked } = await looked(
      'github_app_lookup',
      { app_or_client_id: '12', install_id: '34', private_rsa_key: pem },
      {},
      answered({ token: 'ghs_x' }, 201),
    );
    expect(value).to.equal('ghs_x');
    expect(asked[0]).to.include({
      url: 'https://api.github.com/app/installations/34/access_tokens',
      method: 'POST',
    });
    const [head, claims, signature] = asked[0]!.headers!['authorization']!.replace('Bearer ', '').split('.') as [
      string,
      string,
      string,
    ];
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).to.equal(
      true,
    );
    expect(
      (await looked('github_app_lookup', { app_or_client_id: '1', install_id: '2', private_rsa_key: 'x' }, {})).value,
    ).to.equal('the private key is none that can sign');
  });

  it('DevOps Secrets Vault: a client grant, then the field of the secret, decoded where that is asked', async () => {
    const { value, asked } = await looked(
      'thycotic_dsv',
      { tenant: 'ex', tld: 'eu', client_id: 'i', client_secret: 's' },
      { path: '/a b/c', secret_field: 'pw', secret_decoding: 'Decode Base64' },
      answered({ accessToken: 'tok' }),
      answered({ data: { pw: Buffer.from('plain').toString('base64') } }),
    );
    expect(value).to.equal('plain');
    expect(asked.map(({ url }) => url)).to.deep.equal([
      'https://ex.secretsvaultcloud.eu/v1/token',
      'https://ex.secretsvaultcloud.eu/v1/secrets/a%20b/c',
    ]);
    expect(asked[1]!.headers).to.deep.equal({ authorization: 'tok' });
  });

  it('Secret Server: a password grant, then the item of that slug', async () => {
    const { value, asked } = await looked(
      'thycotic_tss',
      { server_url: 'https://tss.test/SecretServer', username: 'u', domain: 'corp', password: 'p' },
      { secret_id: '7', secret_field: 'password' },
      answered({ access_token: 'tok' }),
      answered({
        items: [
          { slug: 'username', itemValue: 'x' },
          { slug: 'password', itemValue: 'y' },
        ],
      }),
    );
    expect(value).to.equal('y');
    expect(String(asked[0]!.body)).to.equal('grant_type=password&username=u&password=p&domain=corp');
    expect(asked[1]!.url).to.equal('https://tss.test/SecretServer/api/v1/secrets/7');
  });

  it('Centrify: the account is found by its names, quotes and all, and checked out', async () => {
    const { value, asked } = await looked(
      'centrify_vault_kv',
      { url: 'https://c.test', client_id: 'u', client_password: 'p' },
      { 'account-name': "o'neil", 'system-name': 'sys' },
      answered({ access_token: 'tok' }),
      answered({ success: true, Result: { Results: [{ Row: { ID: 'id-1' } }] } }),
      answered({ success: true, Result: { Password: 'pw' } }),
    );
    expect(value).to.equal('pw');
    expect(asked[0]!.url).to.equal('https://c.test/oauth2/token/awx');
    expect(JSON.parse(String(asked[1]!.body)).Script).to.equal(
      "Select ID from VaultAccount where Name = 'sys' and User = 'o''neil'",
    );
    expect(JSON.parse(String(asked[2]!.body))).to.deep.equal({ ID: 'id-1' });
  });

  describe('whatever they answer', () => {
    const vault = (...answers: ReturnType<typeof answered>[]) =>
      looked(
        'hashivault_kv',
        { url: 'https://v.test', token: 'canary-token', api_version: 'v1' },
        { secret_path: 'a/b', secret_key: 'k' },
        ...answers,
      );
    for (const [what, answer, said] of [
      [
        'refuses',
        answered({ errors: ['permission denied'] }, 403),
        'the secret was refused with 403: permission denied',
      ],
      ['is sealed', answered({ errors: ['Vault is sealed'] }, 503), 'the secret was refused with 503: Vault is sealed'],
      ['sends a page', answered('<html>'), 'the secret was answered with something that is no JSON'],
      ['sends a list', answered([]), 'the secret has no value of the name "k"'],
      ['sends nothing', answered(''), 'the secret was answered with something that is no JSON'],
      ['leads elsewhere', answered('', 302), 'the secret was refused with 302'],
      ['has no such key', answered({ data: { other: 'x' } }), 'the secret has no value of the name "k"'],
      ['sends a NUL', answered({ data: { k: 'a\0b' } }), 'it holds characters that are not allowed'],
      ['sends too much', answered({ data: { k: 'x'.repeat(100_001) } }), 'it has more than 100000 characters'],
      [
        'repeats the token',
        answered({ errors: ['bad token canary-token'] }, 400),
        'the secret was refused with 400: bad token **********',
      ],
    ] as const)
      it(`is explained: one that ${what}`, async () => expect((await vault(answer)).value).to.equal(said));

    it('is a text: what is none is shown as JSON', async () =>
      expect((await vault(answered({ data: { k: { a: 1 } } }))).value).to.equal('{"a":1}'));

    it('is not asked for while something is missing', async () => {
      const { value, asked } = await looked('hashivault_kv', { url: 'https://v.test' }, { secret_path: 'a' });
      expect([value, asked]).to.deep.equal(['it lacks Key Name', []]);
      const login = await looked('hashivault_kv', { url: 'https://v.test' }, { secret_path: 'a', secret_key: 'k' });
      expect(login.value).to.match(/^it has nothing to log in with: /);
      const outside = { url: 'https://v.test', kubernetes_role: 'r' };
      const cluster = await looked('hashivault_kv', outside, { secret_path: 'a', secret_key: 'k' });
      expect([cluster.value, cluster.asked]).to.deep.equal([
        'this node has no service account of a Kubernetes cluster to log in with',
        [],
      ]);
    });
  });

  describe("a vault that is logged in to by this node's account", () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-account-'));
    before(() => {
      account.tokenFile = join(folder, 'token');
      writeFileSync(account.tokenFile, 'canary-jwt\n');
    });
    after(() => {
      account.tokenFile = '';
      removeFolder(folder);
    });
    const login = (url: string, ...answers: ReturnType<typeof answered>[]) =>
      looked(
        'hashivault_kv',
        { url, kubernetes_role: 'reader', default_auth_path: 'cluster' },
        { secret_path: 'a/b', secret_key: 'k' },
        ...answers,
      );

    it('is told the role and the token', async () => {
      const { value, asked } = await login(
        'https://v.test',
        answered({ auth: { client_token: 'got' } }),
        answered({ data: { k: 'the value' } }),
      );
      expect(value).to.equal('the value');
      expect(asked[0]).to.include({ url: 'https://v.test/v1/auth/cluster/login', method: 'POST' });
      expect(JSON.parse(String(asked[0]!.body))).to.deep.equal({ role: 'reader', jwt: 'canary-jwt' });
      expect(asked[1]!.headers).to.include({ 'x-vault-token': 'got' });
    });

    it('is one that an administrator named: the token goes to no other, not in the open, and to no other port', async () => {
      for (const url of ['https://theirs.test', 'http://v.test', 'https://v.test:8200', 'https://v.test.theirs.test']) {
        const { value, asked } = await login(url);
        expect([value, asked], url).to.deep.equal([
          'this service logs in by its own service account to the vaults of the setting VAULT_KUBERNETES_HOSTS alone, and this is none of them',
          [],
        ]);
      }
    });

    it('has the token masked where it repeats it', async () =>
      expect((await login('https://v.test', answered({ errors: ['no canary-jwt here'] }, 403))).value).to.equal(
        'the login was refused with 403: no ********** here',
      ));
  });

  it('of plugins stand beside them, under names of their own', () => {
    const mine = { ...new CredentialSources().find('conjur')!, namespace: 'mine' };
    expect(new CredentialSources([mine]).find('mine')).to.equal(mine);
    expect(() => new CredentialSources([{ ...mine, namespace: 'conjur' }])).to.throw('the namespace "conjur"');
    expect(() => new CredentialSources([{ ...mine, namespace: 'aws' }])).to.throw('the namespace "aws"');
  });
});
