import {
  assertMembers,
  defineResource,
  field,
  parameter,
  type PluginApi,
  type Resource,
  type Row,
  ValidationError,
  switchActions,
} from '@tapline/plugin-sdk';
import { resourceTypes, severities, type Tool, tools } from '../scanner.ts';
import { configProblems } from '../tools/config.ts';

const ro = { mode: 'ro' } as const;
const configHelp =
  'playbook_lint: profile, skip, exclude. iac_scan: checks, skip. dependency_audit: requirements_file, ignore.';

const fields = {
  name: field.string({ required: true }),
  organization: field.ref('organization', { help: 'Empty: it scans launches of every organization.' }),
  description: field.text(),
  tool: field.choice(tools, { required: true }),
  config: field.json({ default: {}, filterable: false, help: configHelp }),
  severity_threshold: field.choice(severities, {
    default: 'medium',
    ranked: true,
    help: 'Findings below it do not count.',
  }),
  enforcement: field.choice(['warn', 'enforce'], { default: 'warn' }),
  enabled: field.boolean({ default: true }),
  applies_to: field.list({
    default: [],
    filterable: false,
    help: `Of ${resourceTypes.join(', ')}; empty means all.`,
  }),
  trigger_count: field.integer({ ...ro, default: 0, help: 'Runs that ended otherwise than ok.' }),
  last_run_at: field.datetime({ ...ro, nullable: true }),
  last_run_status: field.string(ro),
};

/** Read by who reads its organization, changed by those who administer that; everybody's by superusers. */
export function scannerResource(api: PluginApi): Resource {
  const organization = (role: string, alsoEmpty = false) =>
    api.rules.parent('organization_id', 'organization', role, { alsoEmpty });
  const administers = organization('admin_role');
  return defineResource({
    type: 'scanner',
    path: 'scanners',
    table: 'scanners',
    label: 'Scanner',
    description: 'A tool that looks at what a launch would run, before it starts.',
    access: { see: organization('read_role', true), create: administers, change: administers, delete: administers },
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    fields,
    sublists: {
      accepted_findings: { resource: 'accepted_finding', column: 'scanner_id' },
      results: { resource: 'scan_result', column: 'scanner_id' },
    },
    parameters: { applies_to: parameter.memberOf('applies_to', resourceTypes, { emptyIsAll: true }) },
    actions: {
      ...switchActions(api, {
        type: 'scanner',
        table: 'scanners',
        access: administers,
        enable: 'Has it scan launches',
        disable: 'Has it scan no more',
      }),
    },
    validate({ input, before }) {
      if (input.applies_to) assertMembers('applies_to', input.applies_to, resourceTypes, { once: true });
      if (!before || 'tool' in input || 'config' in input) checkConfig({ ...before, ...input } as unknown as Row);
    },
  });
}

function checkConfig({ tool, config }: Row): void {
  const problems = configProblems(tool as Tool, config ?? {});
  if (problems.length) throw new ValidationError({ config: problems });
}
