import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { describeWith } from '../../../test/support/needs.ts';
import { type PolicyStage, startPolicyStage } from './stage.ts';

const folder = new URL('../library/', import.meta.url);
const launch = {
  resource_type: 'job_template',
  resource_name: 'Deploy',
  user: { id: 2, username: 'ann', is_superuser: false },
  extra_vars: { change_ticket: 'CHG1' },
  inventory: { id: 1, name: 'test', kind: '' },
  credentials: [{ id: 1, name: 'key', kind: 'ssh' }],
  playbook: 'playbooks/site.yml',
  // a Wednesday
  now_iso: '2030-01-02T12:00:00.000Z',
  client_ip: '10.1.2.3',
};
/** What each of them is about, beside a launch that all of them let pass. */
const caught: Record<string, [decision: string, input: object]> = {
  no_shell_commands: ['deny', { resource_type: 'ad_hoc_command', resource_name: 'shell' }],
  change_ticket: ['deny', { extra_vars: {} }],
  working_hours: ['deny', { now_iso: '2030-01-02T19:00:00.000Z' }],
  no_fridays: ['deny', { now_iso: '2030-01-04T12:00:00.000Z' }],
  production_by_superusers: ['deny', { inventory: { id: 2, name: 'Production', kind: '' } }],
  known_playbooks: ['deny', { playbook: 'site.yml' }],
  no_mixed_clouds: [
    'deny',
    {
      credentials: [
        { id: 1, name: 'a', kind: 'aws' },
        { id: 2, name: 'b', kind: 'gce' },
      ],
    },
  ],
  credential_needed: ['warn', { credentials: [] }],
  no_skipped_checks: ['warn', { extra_vars: { force: true } }],
  inside_network: ['deny', { client_ip: '203.0.113.5' }],
};

describeWith(['opa'], 'the library of policies', function () {
  this.timeout(120_000);
  let stage: PolicyStage;
  before(async () => {
    stage = await startPolicyStage();
  });
  after(() => stage?.stop());

  for (const file of readdirSync(folder))
    it(`has ${file}, which the engine takes and which judges`, async () => {
      const name = file.replace('.rego', '');
      const module = readFileSync(new URL(file, folder), 'utf8');
      const made = await stage.make('policies/', { name, rego_module: module });
      expect(made.last_sync_status, made.last_sync_error).to.equal('ok');
      const said = async (input: object) =>
        (await stage.admin.post(`${made.url}test/`, { input: { ...launch, ...input } })).body.decision;
      const [decision, input] = caught[name]!;
      expect([await said({}), await said(input)]).to.deep.equal(['allow', decision]);
    });

  it('has one for each that is told here', () => {
    expect(readdirSync(folder).map((file) => file.replace('.rego', ''))).to.have.members(Object.keys(caught));
  });
});
