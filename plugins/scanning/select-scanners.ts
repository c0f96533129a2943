import type { Knex, Launch, PluginApi } from '@tapline/plugin-sdk';
import type { ResourceType, Scanner } from './scanner.ts';

const ofKind: Readonly<Record<string, ResourceType>> = {
  job: 'job_template',
  workflow_job: 'workflow_job_template',
  ad_hoc_command: 'ad_hoc_command',
};

export const organizationOf = ({ run, uses }: Pick<Launch, 'run' | 'uses'>): number | null =>
  run.organization_id ?? uses.organization?.id ?? null;

/** Those of the launch's organization and everybody's: one statement. */
export async function selectScanners(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  launch: Launch,
): Promise<Scanner[]> {
  const type = ofKind[launch.run.kind];
  if (!type) return [];
  const organization = organizationOf(launch);
  return db(table('scanners'))
    .where({ enabled: true })
    .where((own: Knex.QueryBuilder) => {
      own.whereNull('organization_id');
      if (organization !== null) own.orWhere('organization_id', organization);
    })
    .whereRaw(`(applies_to = '[]'::jsonb or applies_to @> ?::jsonb)`, [JSON.stringify([type])])
    .orderBy('id')
    .select('id', 'name', 'organization_id', 'tool', 'config', 'severity_threshold', 'enforcement');
}
