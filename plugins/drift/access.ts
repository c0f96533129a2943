import { anyOf, type PluginApi, type Rule } from '@tapline/plugin-sdk';

export interface DriftAccess {
  /** who reads the inventory sees its snapshots, drift and alerts */
  see: Rule;
  acknowledge: Rule;
}

export function driftAccess({ rules, permissions }: Pick<PluginApi, 'rules' | 'permissions'>): DriftAccess {
  const inventory = (role: string) => rules.parent('inventory_id', 'inventory', role);
  return {
    see: inventory('read_role'),
    acknowledge: permissions.define('drift.acknowledge', anyOf(inventory('admin_role'), inventory('update_role'))),
  };
}
