import type { Core } from '@tapline/plugin-sdk/testing';
import { expect } from 'chai';
import { startCore } from '../../core/testing/start-core.ts';

const playbook = `- hosts: all
  gather_facts: false
  tasks:
    - debug: { msg: "token {{ lookup('env', 'MY_TOKEN') }} user {{ lookup('env', 'MY_USER') }} {{ from_type }}" }
    - debug: { msg: "aws {{ lookup('env', 'AWS_ACCESS_KEY_ID') }}" }
`;

describe('credentials of a job', function () {
  let core: Core;
  before(async () => void (core = await startCore({ engine: true })));
  after(() => core?.stop());

  const made = async (path: string, body: object) => {
    const { status, text, body: shown } = await core.admin.post(path, body);
    expect(status, text).to.equal(201);
    return shown;
  };
  const customType = (injectors: object, name: string) =>
    made('credential_types/', {
      name,
      kind: 'cloud',
      inputs: {
        fields: [
          { id: 'token', label: 'Token', secret: true },
          { id: 'user', label: 'User' },
        ],
      },
      injectors,
    });
  const credential = async (type: number, inputs: object) =>
    made('credentials/', { name: `c ${type}`, organization: 1, credential_type: type, inputs });
  const launched = async (credentials: number[]) => {
    const { id } = await core.makeTemplate({ playbook });
    for (const one of credentials)
      expect((await core.admin.post(`job_templates/${id}/credentials/`, { id: one })).status).to.equal(204);
    const { body } = await core.admin.post(`job_templates/${id}/launch/`, {});
    return core.ended(body.id);
  };

  it('of managed and custom types reach the playbook, and their secrets are shown nowhere', async () => {
    const type = await customType(
      { env: { MY_TOKEN: '{{ token }}', MY_USER: '{{ user }}' }, extra_vars: { from_type: 'var {{ user }}' } },
      'Own',
    );
    const own = await credential(type.id, { token: 'canary-token-1', user: 'ann' });
    const [aws] = (await core.admin.get('credential_types/?namespace=aws')).body.results;
    const cloud = await credential(aws.id, { username: 'AKIAX', password: 'canary-aws-1' });
    const job: any = await launched([own.id, cloud.id]);
    expect(job.status, job.job_explanation).to.equal('successful');
    const { text } = await core.admin.get(`jobs/${job.id}/stdout/?format=txt`);
    expect(text).to.include('token $encrypted$ user ann var ann').and.include('aws AKIAX');
    expect(job.job_env).to.include({ MY_TOKEN: '**********', MY_USER: 'ann', AWS_SECRET_ACCESS_KEY: '**********' });
    const events = await core.admin.get(`jobs/${job.id}/job_events/`);
    expect(`${text}${events.text}${JSON.stringify(job)}`).not.to.include('canary');
  });

  it('end it with the reason where a template of their type cannot be rendered', async () => {
    const type = await customType({ env: { MY_TOKEN: '{{ token | int / 0 }}' } }, 'Broken');
    const job: any = await launched([(await credential(type.id, { token: 'x' })).id]);
    expect(job.status).to.equal('failed');
    expect(job.job_explanation).to.match(
      /^Credential "c \d+": the injector env\.MY_TOKEN of its type "Broken" could not be rendered: /,
    );
  });
});
