import type { Builder, Row, RunKind, Sublist } from '@tapline/plugin-sdk';
import { descendantsSql } from '../../inventory/membership.ts';
import { hostCommandEvents } from './command-event.ts';
import { mayRunOn } from './rules.ts';
import { role } from '../../rbac/role-rules.ts';

/** Commands that left anything on some hosts. */
const onHosts =
  (hosts: string) =>
  (builder: Builder, { id }: Row, alias: string) =>
    void builder.whereRaw(`"${alias}".id in (select e.run_id from run_events e where e.host_id in (${hosts}))`, [id]);

/** A command that is run here runs on what it stands below. */
const below = (where: Sublist['where']): Sublist => ({
  resource: 'ad_hoc_command',
  where,
  create: true,
  inherit: ['inventory_id'],
  write: mayRunOn,
  fixes: ['limit'],
  prepare: (call, { name }) => void (call.body = { ...call.body, limit: name }),
});

/** The commands that ran on hosts, groups and inventories, and where they are run from. */
export const commandExtends: RunKind['extends'] = {
  inventory: {
    sublists: {
      ad_hoc_commands: {
        resource: 'ad_hoc_command',
        column: 'inventory_id',
        create: true,
        write: role('inventory', 'adhoc_role'),
      },
    },
  },
  host: {
    sublists: { ad_hoc_commands: below(onHosts('?')), ad_hoc_command_events: hostCommandEvents },
  },
  group: {
    sublists: {
      ad_hoc_commands: below(onHosts(`select m.host_id from group_hosts m where m.group_id in (${descendantsSql})`)),
    },
  },
};
