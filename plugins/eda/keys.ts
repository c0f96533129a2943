import { randomBytes } from 'node:crypto';
import type { PluginApi } from '@tapline/plugin-sdk';
import type { Rule } from './rule.ts';

type Secrets = Pick<PluginApi, 'secrets'>;
export type KeyedRule = Pick<Rule, 'id' | 'webhook_key' | 'former_key' | 'former_key_until'>;

/** 300 bits, and no character that a form or a shell might change. */
export const newKey = (): string => randomBytes(38).toString('base64url').slice(0, 50);

const cell = (column: 'webhook_key' | 'former_key', id: number) => ({ table: 'event_rules', column, id });

export const openKey = ({ secrets }: Secrets, { id, webhook_key: stored }: KeyedRule): string =>
  secrets.open(stored, cell('webhook_key', id));

export interface Key {
  key: string;
  /** a former one, which is accepted until then */
  until: Date | null;
}

/** The present one first. */
export function keysOf({ secrets }: Secrets, rule: KeyedRule): Key[] {
  const former = rule.former_key && rule.former_key_until;
  const keys = [{ key: openKey({ secrets }, rule), until: null }];
  if (!former) return keys;
  const key = secrets.open(rule.former_key, cell('former_key', rule.id));
  return [...keys, { key, until: new Date(former) }];
}

/** Those that are accepted now: after a rotation the former one for a while. */
export const acceptedKeys = (keys: readonly Key[], now: Date): string[] =>
  keys.filter(({ key, until }) => key !== '' && (until === null || until > now)).map(({ key }) => key);

/** The columns of a rule that gets this key; the one that it has is accepted for `hours` more. */
export function replacedKey({ secrets }: Secrets, rule: KeyedRule, key: string, until: Date | null): object {
  const former = openKey({ secrets }, rule);
  const kept = until && former;
  return {
    webhook_key: secrets.seal(key, cell('webhook_key', rule.id)),
    former_key: kept ? secrets.seal(former, cell('former_key', rule.id)) : '',
    former_key_until: kept ? until.toISOString() : null,
  };
}
