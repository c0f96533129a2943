import { ActButton, may, type Resource, type Row, runsTab, type TabProps, t } from '@tapline/console-kit';
import { notifyTab } from '../notifications/notify-tab.tsx';
import { schedulesTab } from '../schedules/schedules-tab.ts';

const Update = ({ row, reload }: { row: Row; reload?: () => Promise<void> }) =>
  may(row, 'start') ? (
    <ActButton
      label={t`Update`}
      what={String(row['name'])}
      path={`inventory_sources/${row.id}/update/`}
      done={t`The update is started.`}
      to={({ inventory_update }) => (inventory_update ? `/inventory_updates/${inventory_update}` : null)}
      {...(reload && { onDone: reload })}
    />
  ) : null;

export const inventorySource: Resource = {
  path: 'inventory_sources',
  type: 'inventory_source',
  one: t`source`,
  many: t`sources`,
  columns: [
    'name',
    'source',
    'status',
    'last_updated',
    { label: t`Action`, narrow: true, cell: (row) => <Update row={row} /> },
  ],
  fields: [
    'name',
    'description',
    'inventory',
    'source',
    'source_project',
    'source_path',
    'credential',
    'source_vars',
    'overwrite',
    'overwrite_vars',
    'update_on_launch',
  ],
  facts: ['status', 'last_updated'],
  relations: { credential: 'credentials/?credential_type__kind__in=cloud,scm,vault' },
  suggestions: {
    source_path: ({ source_project }) => (source_project ? `projects/${source_project}/inventories/` : null),
  },
  parent: ({ inventory }) => `/inventories/${inventory}?tab=inventory_sources`,
  tabs: [runsTab('inventory_updates', t`Updates`), schedulesTab, notifyTab()],
  actions: ({ row, reload }: TabProps) => <Update row={row} reload={reload} />,
};
