import { ApiError, type Call, type LaunchTemplate, type Row, type Sublist } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertRights } from '../../rbac/rights.ts';
import { savedLists } from './launch.ts';
import type { SavedCheck, SavedDeps } from './check.ts';
import { planSaved, problemsOf } from './plan.ts';
import type { SavedIn } from './store.ts';

const refuse = (msg: string): never => {
  throw new ApiError(400, { msg });
};

/** The credentials and instance groups of a saved set; its labels are `labelsOf(saved.lists, saved.key)`. */
export const savedSublists = (
  deps: Pick<SavedDeps, 'kinds'>,
  how: SavedCheck,
): Record<'credentials' | 'instance_groups', Sublist> => ({
  credentials: {
    resource: 'credential',
    attach: true,
    through: { table: `${how.saved.lists}_credentials`, parent: how.saved.key, child: 'credential_id' },
    async check(trx, parent, credential, { actor }) {
      await assertRights(trx, actor, [{ type: 'credential', field: 'use_role', id: credential.id }]);
      await checkCredential(deps, trx, { how, parent, credential });
    },
  },
  instance_groups: {
    resource: 'instance_group',
    attach: true,
    through: {
      table: `${how.saved.lists}_instance_groups`,
      parent: how.saved.key,
      child: 'instance_group_id',
      ordered: true,
    },
    check: (trx, _parent, group, { actor }: Call) =>
      assertRights(trx, actor, [{ type: 'instance_group', field: 'use_role', id: group.id }]),
  },
});

/** What the kind of the template says of a launch with it. */
async function checkCredential(
  { kinds }: Pick<SavedDeps, 'kinds'>,
  trx: Knex,
  { how, parent, credential }: { how: SavedCheck; parent: Row; credential: Row },
): Promise<void> {
  // two attachments at once must not both find the place free
  await trx(how.saved.table).where({ id: parent.id }).forNoKeyUpdate().first('id');
  const id = parent['unified_job_template_id'];
  const template: LaunchTemplate | undefined = id == null ? undefined : await trx('templates').where({ id }).first();
  if (!template) return refuse('Cannot assign a credential: there is no template.');
  if (!kinds.ofTemplate(template.kind)?.prompts?.includes('credentials'))
    return refuse('Cannot assign a credential: what the template launches takes none.');
  const others = await otherCredentials(trx, how.saved, parent.id, credential.id);
  const plan = await planSaved(kinds, trx, template, {
    prompts: { credentials: [...others, credential.id] },
    origin: how.origin,
    ip: null,
    ahead: 'part',
  });
  const own = (plan.template?.['credentials'] ?? []) as { id: number }[];
  if (own.some((one) => one.id === credential.id)) refuse('The template has this credential already.');
  if (plan.ignored?.['credentials']) refuse('The template does not ask for credentials at launch.');
  const problems = problemsOf(plan)['credentials'];
  if (problems) refuse((problems as string[]).join(' '));
}

const otherCredentials = async (trx: Knex, saved: SavedIn, row: number, credential: number): Promise<number[]> =>
  ((await savedLists(trx, saved, [row])).get(row)?.credentials ?? []).filter((one) => one !== credential);
