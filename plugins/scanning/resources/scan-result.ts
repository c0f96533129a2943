import {
  anyOf,
  defineResource,
  field,
  parameter,
  type PluginApi,
  type Resource,
  type Rule,
  via,
} from '@tapline/plugin-sdk';
import { severities, statuses, tools } from '../scanner.ts';
import { acceptAction } from './accept-action.ts';
import { sarifAction } from './sarif-action.ts';

const ro = { mode: 'ro' } as const;

/** As JSON, the worst first. */
const findingsSql = (findings: string) => `coalesce((
  select jsonb_agg(to_jsonb(f) - 'scan_result_id' - 'excerpt' || jsonb_build_object('scan_result', f.scan_result_id) order by f.id)
  from ${findings} f where f.scan_result_id = {alias}.id), '[]'::jsonb)`;

const excerptsSql = (findings: string) => `coalesce((
  select jsonb_agg(f.excerpt || jsonb_build_object('finding', f.id) order by f.id)
  from ${findings} f where f.scan_result_id = {alias}.id and f.excerpt is not null), '[]'::jsonb)`;

const fieldsOf = (api: PluginApi, watches: Rule) => ({
  scanner: field.ref('scanner', ro),
  scanner_name: field.string(ro),
  tool: field.choice(['', ...tools], ro),
  unified_job: field.ref('unified_job', { ...ro, help: 'Empty where the launch was blocked, or its run is gone.' }),
  project: field.ref('project', { ...ro, help: 'Whose files were scanned.' }),
  unified_job_template: field.ref('unified_job_template', ro),
  organization: field.ref('organization', ro),
  triggered_by: field.ref('user', ro),
  status: field.choice(statuses, ro),
  duration_ms: field.integer(ro),
  finding_count: field.integer(ro),
  accepted_count: field.integer({
    ...ro,
    help: 'Of the findings, those that did not count: somebody accepted them before.',
  }),
  highest_severity: field.choice(['', ...severities], { ...ro, ranked: true }),
  message: field.text(ro),
  raw_output: field.text({ ...ro, shortInLists: true }),
  revision: field.string({ ...ro, help: 'The commit that was scanned; empty for a manual project.' }),
  findings: field.list({ ...ro, sql: findingsSql(api.table('findings')), detailOnly: true, filterable: false }),
  excerpts: field.list({
    ...ro,
    sql: excerptsSql(api.table('findings')),
    read: anyOf(watches, api.rules.parent('project_id', 'project', 'read_role')),
    detailOnly: true,
    filterable: false,
    help: 'The lines that findings are about, for who reads the project: finding, first (the number of the first line), lines.',
  }),
  created: field.datetime(ro),
});

/** Read by whoever reads the job's template, and who administers or audits the organization. */
export function scanResultResource(api: PluginApi): Resource {
  const { parent } = api.rules;
  const watches = anyOf(
    parent('organization_id', 'organization', 'admin_role'),
    parent('organization_id', 'organization', 'auditor_role'),
  );
  const see = anyOf(
    watches,
    parent('unified_job_template_id', 'job_template', 'read_role'),
    parent('unified_job_template_id', 'workflow_job_template', 'read_role'),
  );
  const administers = via('scanner_id', api.table('scanners'), parent('organization_id', 'organization', 'admin_role'));
  return defineResource({
    type: 'scan_result',
    path: 'scan_results',
    table: 'results',
    label: 'Scan result',
    description: 'What one scanner found in what a launch would run.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see },
    orderBy: ['-id'],
    search: ['scanner_name', 'message'],
    fields: fieldsOf(api, watches),
    actions: { sarif: sarifAction(api, see), accept: acceptAction(api, administers) },
    parameters: { since: parameter.since('created') },
  });
}
