import type { Knex } from 'knex';

let made = 0;
const fresh = (what: string) => `${what}_${++made}`;

const policyBody = (organization: number | undefined) => {
  const name = fresh('policy');
  // no two policies have one package
  return { name, organization, rego_module: `package ${name}\n\ndeny := []\n` };
};

const scannerBody = (organization: number | undefined) => ({
  name: fresh('scanner'),
  organization,
  tool: 'playbook_lint',
});

/** A body for each write of what judges and scans launches. */
export const gateBodies = (ids: Record<string, number>): Record<string, () => unknown> => ({
  'POST /api/v2/policies/': () => policyBody(ids['organization']),
  'POST /api/v2/policies/test/': () => ({
    input: {},
    organization: ids['organization'],
    rego_module: 'package draft\n\ndeny := []\n',
  }),
  'POST /api/v2/policies/:id/test/': () => ({ input: {} }),
  'POST /api/v2/policy_waivers/': () => ({
    policy: ids['policy'],
    scope: 'everything',
    reason: 'Agreed.',
    owner: 1,
    expires: '2999-01-01T00:00:00Z',
  }),
  'POST /api/v2/scan_results/:id/accept/': () => ({ reason: 'Known.' }),
  'POST /api/v2/scanners/': () => scannerBody(ids['organization']),
  ...Object.fromEntries(
    [
      ...['backtest', 'enable', 'disable'].map((action) => `policies/:id/${action}`),
      ...['enable', 'disable'].map((action) => `scanners/:id/${action}`),
    ].map((path) => [`POST /api/v2/${path}/`, () => ({})]),
  ),
});

interface Launched {
  organization: number;
  project: number;
  template: number;
  run: number;
}

/** A row of each type, in tables of the plugins that are on by default. */
export async function gateRows(
  db: Knex,
  { organization, project, template, run }: Launched,
): Promise<Record<string, { id: number }>> {
  const insert = async (table: string, row: object): Promise<{ id: number }> =>
    (await db(table).insert(row).returning('id'))[0];
  const { organization: _policy, ...module } = policyBody(organization);
  const common = { organization_id: organization, enabled: true, applies_to: '[]' };
  const policy = await insert('plugin_policy.policies', {
    ...module,
    ...common,
    package: module.name,
    package_path: module.name,
    enforcement: 'warn',
    shadow: false,
  });
  const launched = { organization_id: organization, unified_job_id: run, unified_job_template_id: template };
  const policy_decision = await insert('plugin_policy.decisions', {
    ...launched,
    policy_id: policy.id,
    policy_name: module.name,
    decision: 'warn',
    shadow: false,
    message: 'Not on Fridays.',
    context: '{}',
  });
  const policy_waiver = await insert('plugin_policy.waivers', {
    policy_id: policy.id,
    scope: 'everything',
    reason: 'Agreed.',
    owner_id: 1,
    expires: '2999-01-01',
  });
  const { organization: _scanner, ...columns } = scannerBody(organization);
  const scanner = await insert('plugin_scanning.scanners', {
    ...columns,
    ...common,
    config: '{}',
    severity_threshold: 'medium',
    enforcement: 'warn',
  });
  const scan_result = await insert('plugin_scanning.results', {
    ...launched,
    scanner_id: scanner.id,
    scanner_name: columns.name,
    project_id: project,
    status: 'warn',
    duration_ms: 1,
    finding_count: 1,
    highest_severity: 'high',
    message: 'One finding.',
    raw_output: '[]',
    revision: '',
  });
  await insert('plugin_scanning.findings', {
    // none that the fuzzer happens to name
    id: 1_000_000 + ++made,
    scan_result_id: scan_result.id,
    rule_id: 'no-free-form',
    severity: 'high',
    file_path: 'site.yml',
    line: 1,
    message: 'Written in free form.',
  });
  const accepted_finding = await insert('plugin_scanning.accepted', {
    scanner_id: scanner.id,
    project_id: project,
    rule_id: 'name',
    file_path: 'site.yml',
    message: 'No name.',
    times: 1,
    reason: 'Known.',
  });
  return { policy, policy_decision, policy_waiver, scanner, scan_result, accepted_finding };
}
