import { type Action, type Call, field, notFound, type Rule, type RunRow, ValidationError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { LaunchDoor } from '../../runs/start.ts';
import { readPasswords } from '../../runs/prompts/passwords.ts';
import { launchReply } from '../../runs/templates/reply.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { loadCredentials } from '../job/launch/load.ts';
import { allPasswordsNeeded } from '../job/launch/passwords.ts';

interface RelaunchDeps {
  db: Knex;
  keyRing: Pick<KeyRing, 'decrypt'>;
  launch: LaunchDoor;
}

/** contract/jobs.md §19: as it was asked for then, judged as if it were asked for now. */
export const relaunchAction = (deps: RelaunchDeps, rules: { see: Rule; start: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.start },
  summary: 'Run it again',
  // passwords stand by their own names
  takes: { type: 'object' },
  answers: {
    GET: { fields: { passwords_needed_to_start: field.list() } },
    POST: { status: 201, type: 'ad_hoc_command', fields: { ad_hoc_command: field.integer() } },
  },
  launches: 201,
  async handler(call, row) {
    const command: RunRow | undefined = await deps.db('runs').where({ id: row.id }).first();
    if (!command) throw notFound();
    if (call.method === 'GET')
      return { status: 200, body: { passwords_needed_to_start: await passwordsOf(deps, command) } };
    return relaunch(deps, call, command);
  },
});

async function passwordsOf({ db, keyRing }: RelaunchDeps, { credential_id: id }: RunRow): Promise<string[]> {
  return id === null ? [] : allPasswordsNeeded(await loadCredentials(db, [Number(id)]), keyRing);
}

async function relaunch({ launch }: RelaunchDeps, call: Call, command: RunRow) {
  const { passwords, errors } = readPasswords(call.body);
  if (Object.keys(errors).length) throw new ValidationError(errors);
  const { run } = await launch.start({
    kind: command.kind,
    template: null,
    again: command.id,
    prompts: { ...(command['prompts'] as object), credential_passwords: passwords },
    actor: call.actor,
    authority: call.actor,
    waiting: true,
    origin: { kind: 'relaunch', id: command.id, client_ip: call.ip },
    // clients know it so
    columns: { launch_type: 'manual' },
  });
  return launchReply(call, run, { status: 201, name: 'ad_hoc_command' });
}
