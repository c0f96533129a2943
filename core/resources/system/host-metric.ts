import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import { markDeleted } from '../../inventory/host-metrics.ts';
import { auditor, superuser } from '../../rbac/rules.ts';

const ro = { mode: 'ro' } as const;
const count = (help?: string) => field.integer({ ...ro, help });

/** Written by the ends of jobs; a host that was deleted counts again as soon as it is automated again. */
export const hostMetricResource = (): Resource =>
  defineResource({
    type: 'host_metric',
    path: 'host_metrics',
    table: 'host_metrics',
    label: 'Host metric',
    description: 'When and how often a host was automated, by its name, over all inventories.',
    methods: { list: ['GET'], detail: ['GET', 'DELETE'] },
    access: { see: auditor, delete: superuser },
    capabilities: { delete: 'delete' },
    orderBy: ['hostname'],
    search: ['hostname'],
    fields: {
      hostname: field.string({ ...ro, help: 'Name of the host, in whatever inventories it stands.' }),
      first_automation: field.datetime(ro),
      last_automation: field.datetime(ro),
      last_deleted: field.datetime({ ...ro, nullable: true }),
      automated_counter: count('How many jobs reached it.'),
      deleted_counter: count('How often it was deleted here.'),
      deleted: field.boolean({ ...ro, help: 'Out of the count until a job reaches it again.' }),
      used_in_inventories: field.integer({ ...ro, nullable: true, help: 'How many inventories hold it.' }),
    },
    remove: async (trx, { id }) => void (await markDeleted(trx, id)),
  });

export const hostMetricMonthResource = (): Resource =>
  defineResource({
    type: 'host_metric_summary_monthly',
    path: 'host_metric_summary_monthly',
    table: 'host_metric_months',
    label: 'Host metric of a month',
    description: 'How many hosts were automated up to the end of a month, and how many came and went in it.',
    methods: { list: ['GET'], detail: [] },
    access: { see: auditor },
    orderBy: ['date'],
    fields: {
      date: field.string({ ...ro, help: 'First day of the month.' }),
      license_consumed: count('Hosts that were automated and not deleted.'),
      license_capacity: count('Always 0: there is no licence.'),
      hosts_added: count(),
      hosts_deleted: count(),
      indirectly_managed_hosts: count('Always 0: only hosts of inventories are counted.'),
    },
  });
