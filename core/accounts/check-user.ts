import { type Actor, type Row, type Rule, ValidationError, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { hashPassword } from './password.ts';
import { masked } from '../secrets/masked.ts';
import type { Settings } from '../settings/settings.ts';
import { passwordProblems } from './password-rules.ts';
import { isWellKnownPassword } from './well-known-password.ts';

const usernamePattern = /^[\p{L}\p{N}@.+_-]+$/u;
const emailPattern = /^[^\s@<>()",;:\\[\]]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

type UserRow = Row & { username: string; email: string; is_superuser: boolean };

const flags = ['is_superuser', 'is_system_auditor'];

export async function checkUser(
  settings: Pick<Settings, 'get'>,
  administer: Rule,
  context: WriteContext<UserRow>,
): Promise<void> {
  const { trx, call, input, before, sent } = context;
  await assertGuarded(administer, context);
  const errors: Record<string, string[]> = {};
  if (input.username !== undefined && input.username !== before?.username && !usernamePattern.test(input.username)) {
    errors.username = ['Enter a valid username: letters, digits and @ . + - _ only.'];
  }
  if (input.email && !emailPattern.test(input.email)) errors.email = ['Enter a valid email address.'];
  const password = newPassword(call.body.password, sent.has('password'), before === undefined, errors);
  const problems = password === undefined ? [] : passwordProblems(settings, password);
  if (problems.length) errors.password = problems;
  if (Object.keys(errors).length) throw new ValidationError(errors);

  if (before?.is_superuser && input.is_superuser === false)
    await assertOtherSuperuser(trx, before.id, () =>
      ValidationError.field('is_superuser', 'The last superuser must remain one.'),
    );
  delete input.password;
  if (password !== undefined)
    Object.assign(input, {
      password: await hashPassword(password),
      initial_password: false,
      well_known_password: isWellKnownPassword(password, input.username ?? before?.username ?? ''),
    });
}

async function assertGuarded(administer: Rule, { trx, call, input, before }: WriteContext): Promise<void> {
  if (call.actor?.is_superuser) return;
  const changed = (key: string) => key in input && input[key] !== (before ? before[key] : false);
  const refused = flags.find(changed);
  if (refused) throw forbidden(`You do not have permission to change ${refused}.`);
  if (before && changed('username') && !(await administer.row(call.actor, before, trx)))
    throw forbidden('You do not have permission to change username.');
}

/** The password to set, exactly as sent; undefined keeps the old one. */
function newPassword(
  given: unknown,
  isSent: boolean,
  creating: boolean,
  errors: Record<string, string[]>,
): string | undefined {
  const blank = given === '' || given === null;
  if (creating && !isSent) errors.password = ['This field is required.'];
  else if (creating && (blank || given === masked))
    errors.password = [
      blank
        ? // clients that import an export send it blank
          'This field may not be blank: a new user needs a password, and exports hold none. Write one into what you send.'
        : `${masked} is reserved and cannot be a password.`,
    ];
  return isSent && !blank && given !== masked && given !== undefined ? String(given) : undefined;
}

/** Locks the superusers first, so that two of them cannot remove each other at once. */
async function assertOtherSuperuser(trx: Knex, id: number, refusal: () => Error): Promise<void> {
  const superusers = await trx('users')
    .select('id')
    .where({ is_superuser: true, is_active: true })
    .orderBy('id')
    .forUpdate();
  if (!superusers.some((user: { id: number }) => user.id !== id)) throw refusal();
}

export async function assertMayDelete(
  trx: Knex,
  user: { id: number; is_superuser: boolean },
  actor: Actor | null,
): Promise<void> {
  if (user.id === actor?.id) throw forbidden('You cannot delete yourself.');
  if (user.is_superuser)
    await assertOtherSuperuser(trx, user.id, () => forbidden('The last superuser cannot be deleted.'));
}
