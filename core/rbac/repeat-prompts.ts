import type { Actor } from '@tapline/plugin-sdk';
import { prompts } from '../launch/prompt-types.ts';
import { parent } from './role-rules.ts';
import { type CoreRule, connection, not } from './rules.ts';

const usesInventory = parent('inventory_id', 'inventory', 'use_role');
const usesCredential = parent('credential_id', 'credential', 'use_role');
const executesAll = parent('organization_id', 'organization', 'execute_role');

const template = (alias: string) => `templates "${alias}_j" where "${alias}_j".id = "${alias}".template_id`;

/** A prompt of the job that its template does not ask for any more. */
const switchedOff = (alias: string) =>
  prompts
    .map(({ key, flag }) => `(jsonb_exists("${alias}".prompts, '${key}') and not "${alias}_j".${flag})`)
    .join(' or ');

/** Whoever cannot run everything of the organization repeats only what the template still asks for, with what it may use itself. */
function repeatable(actor: Actor | null, builder: any, alias: string): void {
  builder
    .whereRaw(`exists (select 1 from ${template(alias)} and not (${switchedOff(alias)}))`)
    .where((inventory: any) => {
      inventory.whereRaw(`"${alias}".inventory_id = (select "${alias}_j".inventory_id from ${template(alias)})`);
      inventory.orWhere((usable: any) => usesInventory.query(actor, usable, alias));
    })
    .whereNotExists((foreign: any) => {
      const named = `${alias}_c`;
      foreign
        .select(foreign.client.raw('1'))
        .fromRaw(
          `(select value::bigint as credential_id from jsonb_array_elements_text(coalesce("${alias}".prompts->'credentials', '[]'))) as "${named}"`,
        )
        .whereRaw(
          `"${named}".credential_id not in (select c.credential_id from template_credentials c where c.template_id = "${alias}".template_id)`,
        );
      not(usesCredential).query(actor, foreign, named);
    });
}

/** The caller may launch the job again as it was launched first (contract/jobs.md §12.2). */
export const repeatsPrompts: CoreRule = {
  name: 'may repeat the prompts of the job',
  async row(actor, { id }, db) {
    if (actor?.is_superuser) return true;
    const found = connection(db, 'prompts').from('runs as t').where('t.id', id).select('t.id');
    this.query(actor, found, 't');
    return (await found).length > 0;
  },
  query(actor, builder, alias) {
    if (actor?.is_superuser) return;
    builder.where((either: any) => {
      either.where((all: any) => executesAll.query(actor, all, alias));
      either.orWhere((own: any) => repeatable(actor, own, alias));
    });
  },
};
