import {
  forbidden,
  superuser,
  type Actor,
  type Knex,
  type PluginApi,
  type Row,
  type Sublist,
} from '@tapline/plugin-sdk';

/** Types of core that calendars are bound to, each with the table of its links. */
const templates = ['job_template', 'workflow_job_template', 'project', 'inventory_source', 'system_job_template'];
const linkedBy: Record<string, string> = {
  organization: 'organization',
  inventory: 'inventory',
  ...Object.fromEntries(templates.map((type) => [type, 'template'])),
};

/** Who may change a calendar, bind it and launch in spite of it. */
export const mayAdminister =
  ({ rules }: Pick<PluginApi, 'rules'>) =>
  (actor: Actor | null, calendar: { organization_id: unknown }, db: Knex): Promise<boolean> =>
    rules.parent('organization_id', 'organization', 'admin_role').row(actor, { ...calendar }, db);

/** `organizations/N/calendars/` and so on: for who may change the object and administers the calendar. */
export function bindCalendars(api: PluginApi): void {
  const administers = mayAdminister(api);
  const check: Sublist['check'] = async (trx, _parent, child, { actor }) => {
    if (await administers(actor, child as Row & { organization_id: number }, trx)) return;
    throw forbidden(`Calendar "${String(child['name'])}" is bound and unbound by administrators of its organization.`);
  };
  for (const [type, table] of Object.entries(linkedBy))
    api.extend(type, {
      sublists: {
        calendars: {
          resource: 'calendar',
          through: { table: api.table(`${table}_calendars`), parent: `${table}_id`, child: 'calendar_id' },
          attach: true,
          // the service's own upkeep has nobody else who may change it
          ...(type === 'system_job_template' ? { write: superuser } : {}),
          check,
          checkDetach: check,
          orderBy: ['name'],
        },
      },
    });
}
