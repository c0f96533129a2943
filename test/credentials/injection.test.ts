import { expect } from 'chai';
import { injectCredentials } from '../../core/credentials/injection/inject.ts';
import type { Injectors } from '../../core/credentials/injection/injectors.ts';
import type { InputField, Inputs } from '../../core/credentials/input-schema.ts';
import { managedType } from '../../core/credentials/managed-types.ts';
import type { ResolvedCredential } from '../../core/credentials/resolve.ts';
import { createSandbox } from '../../core/sandbox/sandbox.ts';
import { judged } from '../support/judged.ts';
import { silentLog } from '../support/log.ts';

let ids = 0;

const managed = (namespace: string, inputs: Inputs): ResolvedCredential => {
  const { name, kind, inputs: schema } = managedType(namespace)!;
  return {
    id: ++ids,
    name: `my ${namespace}`,
    type: { id: 1, name, kind, namespace, inputs: schema, injectors: {} },
    inputs,
    links: [],
    missing: [],
  };
};

const custom = (injectors: Injectors, fields: InputField[], inputs: Inputs): ResolvedCredential => ({
  id: ++ids,
  name: 'Mine',
  type: {
    id: 2,
    name: 'Own',
    kind: 'cloud',
    namespace: null,
    inputs: { fields },
    injectors: injectors as object as never,
  },
  inputs,
  links: [],
  missing: [],
});

const text = (id: string, more: Partial<InputField> = {}): InputField => ({ id, label: id, type: 'string', ...more });

describe('what credentials give to a run', () => {
  const sandbox = createSandbox({ log: silentLog as never });
  after(() => sandbox.stop());
  const given = (credential: ResolvedCredential, use?: 'play' | 'inventory') =>
    injectCredentials({ sandbox }, [credential], use);
  const env = async (namespace: string, inputs: Inputs, use?: 'play' | 'inventory') =>
    (await given(managed(namespace, inputs), use)).env;
  const refusal = (credential: ResolvedCredential) =>
    judged(() => given(credential)).then(
      () => '',
      (error: Error) => `${error.name}: ${error.message}`,
    );

  describe('of a type that comes with the service', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----';

    it('is an environment', async () => {
      expect(await env('aws', { username: 'AKIA', password: 'sec', security_token: '' })).to.deep.equal({
        AWS_ACCESS_KEY_ID: 'AKIA',
        AWS_SECRET_ACCESS_KEY: 'sec',
      });
      expect(await env('aws', { username: 'AKIA', password: 'sec', security_token: 'sts' })).to.include({
        AWS_SECURITY_TOKEN: 'sts',
        AWS_SESSION_TOKEN: 'sts',
      });
      expect(await env('vmware', { host: 'vc', username: 'u', password: 'p' })).to.deep.equal({
        VMWARE_HOST: 'vc',
        VMWARE_USER: 'u',
        VMWARE_PASSWORD: 'p',
        VMWARE_VALIDATE_CERTS: 'False',
      });
      expect(await env('insights', { username: 'u', password: 'p' })).to.deep.equal({
        INSIGHTS_USER: 'u',
        INSIGHTS_PASSWORD: 'p',
      });
    });

    it('is the principal of Azure where there is one, else the user', async () => {
      const common = { subscription: 's', username: 'u', password: 'p', secret: 'c', cloud_environment: 'Gov' };
      expect(await env('azure_rm', { ...common, client: 'id', tenant: 't' })).to.deep.equal({
        AZURE_SUBSCRIPTION_ID: 's',
        AZURE_CLIENT_ID: 'id',
        AZURE_TENANT: 't',
        AZURE_SECRET: 'c',
        AZURE_CLOUD_ENVIRONMENT: 'Gov',
      });
      expect(await env('azure_rm', { ...common, client: 'id' })).to.deep.equal({
        AZURE_SUBSCRIPTION_ID: 's',
        AZURE_AD_USER: 'u',
        AZURE_PASSWORD: 'p',
        AZURE_CLOUD_ENVIRONMENT: 'Gov',
      });
    });

    it('is said under both names of the service itself', async () => {
      const values = await env('svc', { host: 'h', username: 'u', password: 'p', verify_ssl: true });
      expect(values).to.deep.include({ CONTROLLER_HOST: 'h', TOWER_HOST: 'h', TOWER_VERIFY_SSL: 'True' });
      expect(Object.keys(values)).to.have.lengthOf(10);
    });

    it('is for network devices an environment, a file and a key for the agent', async () => {
      const credential = managed('net', {
        username: 'u',
        password: 'p',
        ssh_key_data: key,
        ssh_key_unlock: 'phrase',
        authorize: true,
        authorize_password: 'enable',
      });
      const injection = await given(credential);
      expect(injection.env).to.deep.equal({
        ANSIBLE_NET_USERNAME: 'u',
        ANSIBLE_NET_PASSWORD: 'p',
        ANSIBLE_NET_SSH_KEYFILE: `{workspace}/env/credentials/${credential.id}/ssh_key`,
        ANSIBLE_NET_AUTHORIZE: '1',
        ANSIBLE_NET_AUTH_PASS: 'enable',
      });
      expect(injection.files).to.deep.equal([
        { path: `env/credentials/${credential.id}/ssh_key`, content: `${key}\n` },
      ]);
      expect(injection.sshKeys).to.deep.equal([{ key: `${key}\n`, passphrase: 'phrase' }]);
      expect(injection.secrets).to.have.members(['p', key, 'phrase', 'enable']);
      expect(await env('net', { username: 'u' })).to.include({ ANSIBLE_NET_AUTHORIZE: '0' });
    });

    it('is for Google the file of a service account', async () => {
      const { env: values, files } = await given(managed('gce', { username: 'a@b', project: 'p', ssh_key_data: key }));
      expect(values).to.include({ GCE_EMAIL: 'a@b', GCP_AUTH_KIND: 'serviceaccount', GCP_ENV_TYPE: 'tower' });
      expect(values['GCP_SERVICE_ACCOUNT_FILE']).to.equal(`{workspace}/${files[0]!.path}`);
      expect(JSON.parse(String(files[0]!.content))).to.include({ client_email: 'a@b', private_key: `${key}\n` });
    });

    it('is for OpenStack a file of clouds, by a user or by application credentials', async () => {
      const cloud = async (inputs: Inputs) =>
        JSON.parse(String((await given(managed('openstack', inputs))).files[0]!.content)).clouds.devstack;
      expect(await cloud({ host: 'h', username: 'u', password: 'p', project: 'x', verify_ssl: true })).to.deep.equal({
        auth: { auth_url: 'h', username: 'u', password: 'p', project_name: 'x' },
        verify: true,
      });
      const application = { application_credential_id: 'i', application_credential_secret: 's' };
      expect(await cloud({ host: 'h', region: 'r', ...application })).to.deep.equal({
        auth_type: 'v3applicationcredential',
        auth: { auth_url: 'h', ...application },
        verify: false,
        region_name: 'r',
      });
    });

    it('trusts an authority of a cluster only where there is one', async () => {
      const cluster = { host: 'h', bearer_token: 't', verify_ssl: true };
      expect(await env('kubernetes_bearer_token', cluster)).to.deep.equal({
        K8S_AUTH_HOST: 'h',
        K8S_AUTH_API_KEY: 't',
        K8S_AUTH_VERIFY_SSL: 'False',
      });
      const { env: values, files } = await given(managed('kubernetes_bearer_token', { ...cluster, ssl_ca_cert: 'CA' }));
      expect(values).to.include({ K8S_AUTH_VERIFY_SSL: 'True' });
      expect(values['K8S_AUTH_SSL_CA_CERT']).to.equal(`{workspace}/${files[0]!.path}`);
    });

    it('is for some types given to inventories only, and variables never', async () => {
      const satellite = { host: 'h', username: 'u', password: 'p' };
      expect(await env('satellite6', satellite)).to.deep.equal({});
      expect(await env('satellite6', satellite, 'inventory')).to.deep.equal({
        FOREMAN_SERVER: 'h',
        FOREMAN_USER: 'u',
        FOREMAN_PASSWORD: 'p',
      });
      expect((await given(managed('insights', { username: 'u', password: 'p' }))).argv).to.have.lengthOf(2);
      expect((await given(managed('insights', { username: 'u', password: 'p' }), 'inventory')).argv).to.deep.equal([]);
    });

    it('keeps a line break out of a file of settings', async () => {
      const { files } = await given(managed('rhv', { host: 'h\novirt_ca_file=/x', username: 'u', password: 'p' }));
      expect(files[0]!.content).to.equal('[ovirt]\novirt_url=h ovirt_ca_file=/x\novirt_username=u\novirt_password=p\n');
    });
  });

  describe('of a type that users made', () => {
    it('is rendered from its templates: environment, files and variables', async () => {
      const credential = custom(
        {
          file: { 'template.cert': 'cert: {{ token }}', 'template.key': '{{ key }}' },
          env: { TOKEN: 'Bearer {{ token | upper }}', CERT: '{{ tower.filename.cert }}', ON: '{{ on }}' },
          extra_vars: { '{{ token }}_name': { list: ['{{ token }}', 5, true], path: '{{ tower.filename.key }}' } },
        },
        [text('token', { secret: true }), text('key', { format: 'ssh_private_key' }), text('on', { type: 'boolean' })],
        { token: 'abc{{ 7*7 }}', key: 'KEY' },
      );
      const { env: values, files, argv, secrets } = await given(credential);
      const folder = `env/credentials/${credential.id}`;
      expect(values).to.deep.equal({
        TOKEN: 'Bearer ABC{{ 7*7 }}',
        CERT: `{workspace}/${folder}/cert`,
        ON: 'False',
      });
      expect(files.slice(0, 2)).to.deep.equal([
        { path: `${folder}/cert`, content: 'cert: abc{{ 7*7 }}' },
        { path: `${folder}/key`, content: 'KEY\n' },
      ]);
      expect(argv).to.deep.equal(['-e', '@{workspace}/env/credentials/variables.yml']);
      expect(files[2]).to.include({ path: 'env/credentials/variables.yml', expand: 'json' });
      expect(files[2]!.content).to.include('!unsafe "abc{{ 7*7 }}"').and.include(`"{workspace}/${folder}/key"`);
      expect(secrets).to.deep.equal(['abc{{ 7*7 }}']);
    });

    it('has one file under the plain name', async () => {
      const credential = custom({ file: { template: 'x' }, env: { F: '{{ tower.filename }}' } }, [], {});
      expect((await given(credential)).env).to.deep.equal({ F: `{workspace}/env/credentials/${credential.id}/file` });
    });

    it('shows blank inputs as nothing, and knows them as undefined', async () => {
      const templates = { A: '<{{ token }}>', B: '{% if token is defined %}yes{% else %}no{% endif %}' };
      const fields = [text('token')];
      expect((await given(custom({ env: templates }, fields, {}))).env).to.deep.equal({ A: '<>', B: 'no' });
      expect((await given(custom({ env: templates }, fields, { token: '' }))).env).to.deep.equal({ A: '<>', B: 'no' });
      expect((await given(custom({ env: templates }, fields, { token: 'x' }))).env).to.deep.equal({
        A: '<x>',
        B: 'yes',
      });
    });

    it('leaves a text alone that looks like a place of the run', async () => {
      const credential = custom({ env: { A: '{{ token }}' } }, [text('token')], { token: 'a{workspace}{tmp}{{}b' });
      expect((await given(credential)).env).to.deep.equal({ A: 'a{{}workspace}{{}tmp}{{}{}b' });
    });

    for (const [what, template] of [
      ['loops without end', '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}'],
      ['prints 10 MB', '{% for a in range(10000) %}{{ "0123456789" * 100 }}{% endfor %}'],
      ['divides by nothing', '{{ 1 / 0 }}'],
    ] as const)
      it(`says which credential is at fault when its template ${what}`, async () => {
        const said = await refusal(custom({ env: { A: template } }, [], {}));
        expect(said).to.match(/^SpecError: .*"Mine".*could not be rendered: ./);
      });
  });

  it('is rendered in one call for all of them', async () => {
    let calls = 0;
    const counted = {
      renderEach: (...args: Parameters<typeof sandbox.renderEach>) => ((calls += 1), sandbox.renderEach(...args)),
    };
    const one = () => custom({ env: { [`A${ids}`]: '{{ token }}' } }, [text('token')], { token: `${ids}` });
    const { env: values } = await injectCredentials({ sandbox: counted }, [one(), managed('aws', {}), one()]);
    expect(Object.keys(values)).to.have.lengthOf(4);
    expect(calls).to.equal(1);
    await injectCredentials({ sandbox: counted }, [managed('aws', {})]);
    expect(calls, 'none without templates').to.equal(1);
  });
});
