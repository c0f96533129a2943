import { type Action, type Rule, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { copyFields } from '../launch/launch-fields.ts';
import { copyName } from '../engine/copy-name.ts';
import { giveToCreator } from '../rbac/roles.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { nextId, resealFor } from './check-credential.ts';

interface Deps {
  db: Knex;
  keyRing: KeyRing;
  rules: { see: Rule; copy: Rule };
}

/** `…/copy/`: another credential for the same owner, secrets included. */
export function copyAction({ db, keyRing, rules: { see, copy: mayCopy } }: Deps): Action {
  return {
    access: { GET: see, POST: mayCopy },
    summary: 'Whether the caller may copy it; a copy with its secrets',
    fields: copyFields,
    answers: { GET: { fields: { can_copy: field.boolean() } }, POST: { status: 201, type: 'credential' } },
    async handler(call, credential) {
      if (call.method === 'GET')
        return { status: 200, body: { can_copy: await mayCopy.row(call.actor, credential, db) } };
      const name = copyName(call.body.name, credential.name);
      const id = await db.transaction(async (trx) => {
        const row = await trx('credentials as c')
          .join('credential_types as t', 't.id', 'c.credential_type_id')
          .where('c.id', credential.id)
          .forShare('c')
          .first('c.*', 't.inputs as schema');
        const copy = await nextId(trx);
        const author = { created_by_id: call.actor?.id ?? null, modified_by_id: call.actor?.id ?? null };
        const [copied] = await trx('credentials')
          .insert({
            id: copy,
            name,
            description: row.description,
            organization_id: row.organization_id,
            user_id: row.user_id,
            credential_type_id: row.credential_type_id,
            inputs: JSON.stringify(resealFor(keyRing, row.schema, row, copy)),
            ...author,
          })
          .returning('*');
        if (row.user_id !== null) await giveToCreator(trx, 'credential', copy, row.user_id);
        await call.copyExtensions(trx, 'credential', row.id, copy);
        await call.written(trx, 'credential', copied);
        return copy;
      });
      const [body] = await call.represent('credential', [id]);
      return { status: 201, body, headers: { Location: `/api/v2/credentials/${id}/` } };
    },
  };
}
