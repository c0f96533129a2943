import type { Knex, Launch, PluginApi } from '@tapline/plugin-sdk';
import type { ResourceType, Scanner } from './scanner.ts';

const ofKind: Readonly<Record<string, ResourceType>> = {
  job: 'job_template',
  workflow_job: 'workflow_job_template',
  ad_hoc_command: 'ad_hoc_command',
};

export const organizationOf = ({ run, uses }: Pick<Launch, 'run' | 'uses'>): number | null =>
  run.organization_id ?? uses.organization?.id ?? null;

/** Those of an organization and everybody's that apply to one of the types: one statement. */
export async function selectScanners(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  { organization, types }: { organization: number | null; types: readonly ResourceType[] },
): Promise<Scanner[]> {
  return db(table('scanners'))
    .where({ enabled: true })
    .where((own: Knex.QueryBuilder) => {
      own.whereNull('organization_id');
      if (organization !== null) own.orWhere('organization_id', organization);
    })
    .whereRaw(`(applies_to = '[]'::jsonb or jsonb_exists_any(applies_to, ?::text[]))`, [[...types]])
    .orderBy('id')
    .select('id', 'name', 'organization_id', 'tool', 'config', 'severity_threshold', 'enforcement');
}

export async function scannersOf(api: Pick<PluginApi, 'db' | 'table'>, launch: Launch): Promise<Scanner[]> {
  const type = ofKind[launch.run.kind];
  return type ? selectScanners(api, { organization: organizationOf(launch), types: [type] }) : [];
}
