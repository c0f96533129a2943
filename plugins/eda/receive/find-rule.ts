import type { PluginApi } from '@tapline/plugin-sdk';
import type { Rule } from '../rule.ts';
import { together } from '../together.ts';

/** What the receiver has to know of a rule. */
export type ReceivingRule = Pick<
  Rule,
  | 'id'
  | 'name'
  | 'organization_id'
  | 'enabled'
  | 'source_type'
  | 'webhook_path'
  | 'webhook_key'
  | 'former_key'
  | 'former_key_until'
  | 'duplicate_response'
>;

const columns = [
  'id',
  'name',
  'organization_id',
  'enabled',
  'source_type',
  'webhook_path',
  'webhook_key',
  'former_key',
  'former_key_until',
  'duplicate_response',
];

export const createFindRule = (api: PluginApi): ((path: string) => Promise<ReceivingRule | undefined>) =>
  together(async (paths: string[]) => {
    const rules: ReceivingRule[] = await api
      .db(api.table('event_rules'))
      .whereIn('webhook_path', [...new Set(paths)])
      .select(columns);
    const byPath = new Map(rules.map((rule) => [rule.webhook_path, rule]));
    return paths.map((path) => byPath.get(path));
  }, 100);
