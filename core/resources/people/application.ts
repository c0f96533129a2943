import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { checkApplication, issuedSecret } from '../../accounts/oauth/check-application.ts';
import { assertLinks } from '../../rbac/rights.ts';
import { parent } from '../../rbac/role-rules.ts';
import { anyOf, auditor, authenticated, superuser } from '../../rbac/rules.ts';

const hidden = '************';
const shownTokens = 10;

const fields = {
  name: field.string({ required: true, max: 255 }),
  description: field.text(),
  client_id: field.string({ mode: 'ro' }),
  client_secret: field.string({ mode: 'ro', secret: true, column: 'client_secret_hash' }),
  client_type: field.choice(
    [
      ['confidential', 'Confidential'],
      ['public', 'Public'],
    ],
    { required: true },
  ),
  redirect_uris: field.text({ help: 'Addresses that a user may be sent back to, separated by spaces.' }),
  authorization_grant_type: field.choice(
    [
      ['authorization-code', 'Authorization code'],
      ['password', 'Resource owner password-based'],
    ],
    { required: true, mode: 'create' },
  ),
  // whoever may set it gets tokens of everybody who follows a link
  skip_authorization: field.boolean({
    help: 'Do not ask users whether they agree: for applications of your own.',
    write: superuser,
  }),
  organization: field.ref('organization', { required: true, nullable: false }),
};

const ofOrganization = (field: string) => parent('organization_id', 'organization', field);
const kept = ofOrganization('admin_role');

export const applicationResource = (): Resource =>
  defineResource({
    type: 'o_auth2_application',
    path: 'applications',
    table: 'applications',
    label: 'Application',
    description: 'A program that acts for users by OAuth2, and how it may get its tokens.',
    fields,
    access: { see: anyOf(auditor, ofOrganization('member_role')), create: kept, change: kept, delete: kept },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['id'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    hiddenColumns: ['client_secret_hash'],
    unique: {
      applications_name_key: {
        field: '__all__',
        message: 'Application with this Name and Organization already exists.',
      },
    },
    sublists: {
      // whoever sees an application may let it act for itself
      tokens: { resource: 'o_auth2_access_token', column: 'application_id', create: true, write: authenticated },
    },
    summaries: summarizeTokens,
    async validate(context) {
      if (context.before) await assertLinks(context, [['organization_id', 'organization', 'admin_role']]);
      checkApplication(context);
    },
    present(representation, row, _view, call) {
      if (row.client_type === 'confidential') representation.client_secret = issuedSecret(call) ?? hidden;
    },
  });

async function summarizeTokens(db: Knex, rows: { id: number }[]): Promise<Map<number, Record<string, unknown>>> {
  const { rows: found }: { rows: { id: number; count: number; results: object[] }[] } = await db.raw(
    `select a.id, (select count(*) from tokens where application_id = a.id)::int as count, coalesce(t.results, '[]') as results
     from unnest(?::bigint[]) as a (id) left join lateral (
       select json_agg(json_build_object('id', id, 'token', ?::text, 'scope', scope) order by id desc) as results
       from (select id, scope from tokens where application_id = a.id order by id desc limit ?) as newest
     ) t on true`,
    [rows.map(({ id }) => id), hidden, shownTokens],
  );
  return new Map(found.map(({ id, count, results }) => [Number(id), { tokens: { count, results } }]));
}
