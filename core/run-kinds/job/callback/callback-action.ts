import { type Action, ApiError, type Call, field, forbidden, type Reply, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Bus } from '../../../queue/bus.ts';
import { everybody } from '../../../rbac/rules.ts';
import { activeStatuses } from '../../../runs/states.ts';
import type { Inserted, LaunchDoor, LaunchRequest } from '../../../runs/start.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import { askedBy } from '../../../surveys/survey.ts';
import { sameText } from '../../../webhooks/senders/sender.ts';
import { readVariables, type Variables } from '../../../yaml/variables.ts';
import { loadTemplate, type StoredTemplate } from '../launch/load.ts';
import { allPasswordsNeeded } from '../launch/passwords.ts';
import { jobPrompts } from '../launch/prompts.ts';
import { matchingHosts } from './matching-hosts.ts';
import { refreshSources } from './refresh-sources.ts';

interface Deps {
  db: Knex;
  keyRing: KeyRing;
  launch: LaunchDoor;
  bus: Bus;
}

const limitBytes = 1_048_576;

const impossible = (msg: string) => new ApiError(400, { msg });

/** `callback/`: a host that has just come up asks to be set up (contract/jobs.md §25). */
export const callbackAction = (deps: Deps, see: Rule): Action => ({
  access: { GET: see, POST: everybody },
  summary: 'Runs the template on the host that asks for it, by the key of the template',
  receives: { limitBytes },
  related: false,
  takes: { type: 'object', properties: { host_config_key: { type: 'string' }, extra_vars: { type: 'object' } } },
  answers: {
    GET: { fields: { host_config_key: field.string(), matching_hosts: field.list() } },
    POST: { status: 201, empty: true },
  },
  async handler(call, { id }) {
    if (call.method === 'POST') return callBack(deps, call, id);
    const template = await deps.db('templates').where({ id }).first('host_config_key', 'inventory_id');
    const { host_config_key, inventory_id: inventory } = template;
    const matching_hosts = inventory === null ? [] : await matchingHosts(deps.db, inventory, call.ip);
    return { status: 200, body: { host_config_key, matching_hosts } };
  },
});

async function callBack(deps: Deps, call: Call, id: number): Promise<Reply> {
  const { db, keyRing } = deps;
  const body = readBody(call);
  const template = await loadTemplate(db, id);
  const key = String(template?.['host_config_key'] ?? '');
  // the same whatever is wrong: who does not have the key learns nothing
  if (!template || !key || !sameText(String(body['host_config_key'] ?? ''), key))
    throw forbidden('There is no such template, or the key is not right.');
  const variables = await readGiven(body['extra_vars']);
  if (!template.inventory) throw impossible('The template has no inventory.');
  const hosts = await hostsAfterUpdates(deps, call, template.inventory, id);
  if (!hosts.length) throw impossible(`No host of the inventory has the address ${call.ip}.`);
  if (hosts.length > 1)
    throw impossible(`Several hosts have the address ${call.ip}: ${hosts.slice(0, 20).join(', ')}.`);
  assertUnattended(template, variables, keyRing);
  return start(deps, {
    kind: 'job',
    template: id,
    prompts: variables ? { extra_vars: variables } : {},
    actor: null,
    authority: null,
    origin: { kind: 'callback', id, client_ip: call.ip },
    waiting: false,
    columns: { limit: hosts[0], job_slice_count: 1 },
  });
}

/** A host that nobody knows yet may have come up a moment ago: where sources fill the inventory they are asked first. */
async function hostsAfterUpdates(
  deps: Deps,
  { ip, signal }: Call,
  { id: inventory, updated_first: sources }: NonNullable<StoredTemplate['inventory']>,
  template: number,
): Promise<string[]> {
  const hosts = await matchingHosts(deps.db, inventory, ip);
  if (hosts.length === 1) return hosts;
  const updated = await refreshSources(deps, template, sources, signal).catch((error: Error) => {
    throw error.name === 'TimeoutError' ? impossible('The inventory is being updated. Call again later.') : error;
  });
  return updated ? matchingHosts(deps.db, inventory, ip) : hosts;
}

/** JSON, or a form, which the machines that call know better how to send. */
function readBody({ headers, rawBody }: Call): Record<string, unknown> {
  const text = rawBody?.toString('utf8') ?? '';
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return { host_config_key: new URLSearchParams(text).get('host_config_key') ?? '' };
  try {
    const body: unknown = text ? JSON.parse(text) : {};
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new ApiError(400, 'JSON parse error - the body is no JSON object.');
}

/** Variables of the engine's own would say where it connects to, and as whom. */
async function readGiven(given: unknown): Promise<Variables | undefined> {
  if (given === undefined || given === null || given === '') return undefined;
  const variables = await readVariables(given).catch(() => {
    throw new ApiError(400, { extra_vars: ['Must be an object, or its JSON or YAML.'] });
  });
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('ansible_')));
}

/** Nobody is there to answer. */
function assertUnattended(
  template: StoredTemplate,
  variables: Variables | undefined,
  keyRing: Pick<KeyRing, 'decrypt'>,
): void {
  const passwords = allPasswordsNeeded(template.credentials, keyRing);
  const asked = variables ? undefined : jobPrompts.find(({ flag }) => template[flag]);
  const unanswered = askedBy(template).find(
    ({ required, variable }) => required && !Object.hasOwn(variables ?? {}, variable),
  );
  const needs = passwords[0] ?? asked?.name ?? unanswered?.variable;
  if (needs !== undefined) throw impossible(`The template cannot be started without input: it asks for ${needs}.`);
}

/** One run at a time for a host, also where it asks twice at once. */
async function start({ db, launch }: Deps, request: LaunchRequest): Promise<Reply> {
  const { template, columns = {} } = request;
  const errors = Object.entries(await launch.check(request));
  if (errors.length)
    throw impossible(`The job cannot be started. ${errors.map(([name, why]) => `${name}: ${String(why)}`).join(' ')}`);
  const inserted = await db.transaction(async (trx): Promise<Inserted> => {
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, ?))', [
      `callback ${String(columns['limit'])}`,
      template,
    ]);
    const active = await trx('runs')
      .where({ template_id: template, launch_type: 'callback', limit: columns['limit'] })
      .whereIn('status', activeStatuses)
      .first('id');
    if (active) throw impossible(`Job ${active.id}, which this host asked for, is under way.`);
    return launch.insert(trx, request);
  });
  const { run } = await launch.decide(inserted);
  return { status: 201, headers: { Location: `/api/v2/jobs/${run.id}/` } };
}
