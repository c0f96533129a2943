import { may, type Row, runsTab, type TabProps, t, useQuery } from '@tapline/console-kit';

/** Leads to the form of a command; the inventory says who may run any. */
export function RunCommand({ row, resource }: TabProps) {
  const own = row.type === 'inventory';
  const { data } = useQuery<Row>(own ? null : `inventories/${row['inventory']}/`);
  const inventory = own ? row : data.value;
  if (!inventory || !may(inventory, 'adhoc')) return null;
  return <a class="button" href={`/${resource.path}/${row.id}/command`}>{t`Run a command`}</a>;
}

/** Those that ran on it. */
export const commandsTab = runsTab('ad_hoc_commands', t`Commands`);
