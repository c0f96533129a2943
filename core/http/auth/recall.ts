import type { Actor } from '@tapline/plugin-sdk';
import type { Proof } from '../../engine/prepared.ts';
import { type UserRow, userColumns } from './user-row.ts';

/** A caller known from a moment ago, and what the database must say for it to be the caller still. */
export interface Recalled {
  actor: Actor;
  proof: Proof;
}

const sql = (first: number) =>
  `select 1 from users u where ${userColumns.map((column, index) => `u.${column} = $${first + index}`).join(' and ')}`;

/** The user is as remembered, to the last flag: who was switched off, or got another password or other rights since, is not. */
export const proofOfUser = (user: UserRow): Proof => ({ sql, values: userColumns.map((column) => user[column]) });
