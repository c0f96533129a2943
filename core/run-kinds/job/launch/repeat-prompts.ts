import type { Actor, Builder } from '@tapline/plugin-sdk';
import { runBuilt } from '../../../db/prepared.ts';
import { SECRET_ANSWERS } from '../../../runs/prompts/secret-answers.ts';
import { jobPrompts } from './prompts.ts';
import { parent } from '../../../rbac/role-rules.ts';
import { environmentSeen } from '../../../resources/system/environment-seen.ts';
import { type CoreRule, connection, not, via } from '../../../rbac/rules.ts';

const usesInventory = parent('inventory_id', 'inventory', 'use_role');
const usesCredential = parent('credential_id', 'credential', 'use_role');
const usesGroup = parent('instance_group_id', 'instance_group', 'use_role');
const seesEnvironment = via('execution_environment_id', 'execution_environments', environmentSeen);
const executesAll = parent('organization_id', 'organization', 'execute_role');

const template = (alias: string) => `templates "${alias}_j" where "${alias}_j".id = "${alias}".template_id`;

/** A survey asks for variables too. */
const asks = (flag: string, alias: string) =>
  flag === 'ask_variables_on_launch' ? `("${alias}_j".${flag} or "${alias}_j".survey_enabled)` : `"${alias}_j".${flag}`;

/** A prompt of the job that its template does not ask for any more. */
const switchedOff = (alias: string) =>
  jobPrompts
    .map(({ name, flag }) => `(jsonb_exists("${alias}".prompts, '${name}') and not ${asks(flag, alias)})`)
    .join(' or ');

/** Whoever cannot run everything of the organization repeats only what the template still asks for, with what it may use itself. */
function repeatable(actor: Actor | null, builder: Builder, alias: string): void {
  builder
    .whereRaw(`exists (select 1 from ${template(alias)} and not (${switchedOff(alias)}))`)
    .where((inventory) => {
      inventory.whereRaw(
        `"${alias}".inventory_id is not distinct from (select "${alias}_j".inventory_id from ${template(alias)})`,
      );
      inventory.orWhere((usable) => usesInventory.query(actor, usable, alias));
    })
    .where((given) => namesNone(actor, given, { alias, ...foreignCredentials(alias) }))
    .where((given) => namesNone(actor, given, { alias, ...foreignGroups(alias) }))
    .where((given) => namesNone(actor, given, { alias, ...foreignEnvironment(alias) }));
}

/** Records that the job was given beside those of its template, and what is needed of each. */
interface Foreign {
  prompt: string;
  /** a query for their ids, in the column that the rule reads */
  ids: string;
  need: CoreRule;
}

const listOf = (alias: string, prompt: string, column: string) =>
  `select value::bigint as ${column} from jsonb_array_elements_text("${alias}".prompts->'${prompt}')`;

const foreignCredentials = (alias: string): Foreign => ({
  prompt: 'credentials',
  ids: `${listOf(alias, 'credentials', 'credential_id')}
    where value::bigint not in (select "${alias}_o".credential_id from template_credentials "${alias}_o" where "${alias}_o".template_id = "${alias}".template_id)`,
  need: usesCredential,
});

const foreignGroups = (alias: string): Foreign => ({
  prompt: 'instance_groups',
  ids: listOf(alias, 'instance_groups', 'instance_group_id'),
  need: usesGroup,
});

const foreignEnvironment = (alias: string): Foreign => ({
  prompt: 'execution_environment',
  ids: `select value.id as execution_environment_id from (select ("${alias}".prompts->>'execution_environment')::bigint as id) value
    where value.id is distinct from (select "${alias}_j".execution_environment_id from ${template(alias)})`,
  need: seesEnvironment,
});

/** Most jobs were given none, which is seen without a look at any. */
function namesNone(
  actor: Actor | null,
  builder: Builder,
  { alias, prompt, ids, need }: Foreign & { alias: string },
): void {
  const named = `${alias}_n`;
  builder.whereRaw(`not jsonb_exists("${alias}".prompts, '${prompt}')`).orWhereNotExists((foreign) => {
    foreign.select(foreign.client.raw('1')).fromRaw(`(${ids}) as "${named}"`);
    not(need).query(actor, foreign, named);
  });
}

/** The caller may launch the job again as it was launched first (contract/jobs.md §12.2). */
export const repeatsPrompts: CoreRule = {
  name: 'may repeat the prompts of the job',
  async row(actor, { id }, db) {
    if (actor?.is_superuser) return true;
    const known = connection(db, 'prompts');
    const repeated = known.from('runs as t').where('t.id', Number(id)).select('t.id');
    this.query(actor, repeated, 't');
    return (await runBuilt(known, repeated)).length > 0;
  },
  query(actor, builder, alias) {
    if (actor?.is_superuser) return;
    builder.where((either) => {
      // without its template it is repeated as it was
      either.whereNull(`${alias}.template_id`);
      either.orWhere((all) => executesAll.query(actor, all, alias));
      either.orWhere((own) => repeatable(actor, own, alias));
    });
    builder.where((own) => {
      own.whereRaw('not jsonb_exists(??.prompts, ?)', [alias, SECRET_ANSWERS]);
      own.orWhere(`${alias}.created_by_id`, actor?.id ?? 0);
    });
  },
};
