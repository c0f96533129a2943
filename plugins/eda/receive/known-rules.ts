import type { PluginApi } from '@tapline/plugin-sdk';
import type { Decoder } from '../decoders/decoder.ts';
import { decoderOf } from '../decoders/decoders.ts';
import { type Key, keysOf } from '../keys.ts';
import type { Rule } from '../rule.ts';

const columns = [
  'id',
  'name',
  'organization_id',
  'enabled',
  'source_type',
  'webhook_key',
  'former_key',
  'former_key_until',
] as const;

/** What the receiver has to know of a rule. */
export type ReceivingRule = Pick<Rule, (typeof columns)[number]> & {
  keys: Key[];
  /** undefined where the plugin that brought it is off */
  decoder: Decoder | undefined;
};

const mostKept = 5000;

/**
 * Rules by their paths, as this node read them. That is good enough to accept an event by, since the statement that stores it proves
 * that nothing of it has changed; whoever is about to refuse one reads anew.
 */
export class KnownRules {
  readonly #api: PluginApi;
  readonly #rules = new Map<string, ReceivingRule>();

  constructor(api: PluginApi) {
    this.#api = api;
  }

  known(path: string): ReceivingRule | undefined {
    return this.#rules.get(path);
  }

  async read(path: string): Promise<ReceivingRule | undefined> {
    const { db, table } = this.#api;
    this.#rules.delete(path);
    const row: Rule | undefined = await db(table('event_rules'))
      .where({ webhook_path: path })
      .first(...columns);
    if (!row) return undefined;
    const rule = { ...row, keys: keysOf(this.#api, row), decoder: decoderOf(this.#api, row.source_type) };
    if (this.#rules.size >= mostKept) this.#rules.clear();
    this.#rules.set(path, rule);
    return rule;
  }
}
