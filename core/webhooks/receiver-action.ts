import { type Action, ApiError, type Call, forbidden, methodNotAllowed, type Reply } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { underEachPrefix } from '../config/named-alike.ts';
import { everybody } from '../rbac/rules.ts';
import type { Inserted, LaunchDoor } from '../runs/start.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { readVariables, type Variables } from '../yaml/variables.ts';
import { openWebhookKey } from './key-action.ts';
import { matchesFilter } from './matches-filter.ts';
import { type Delivery, digestOf, type Sender } from './senders/sender.ts';

export interface ReceiverDeps {
  db: Knex;
  keyRing: Pick<KeyRing, 'decrypt'>;
  launch: LaunchDoor;
}

/** What is launched by webhooks. */
export interface Receiving {
  /** `templates.kind` */
  type: string;
  /** it fetches what was pushed: nothing else concerns it, it has a filter, and it needs a source */
  pushesOnly?: boolean;
}

interface TemplateRow {
  id: number;
  scm_type: string;
  webhook_service: string;
  webhook_key: string;
  webhook_credential_id: number | null;
  webhook_ref_filter: string;
}

const columns = ['id', 'scm_type', 'webhook_service', 'webhook_key', 'webhook_credential_id', 'webhook_ref_filter'];
const limitBytes = 1_048_576;

const ignored = (message: string): Reply => ({ status: 200, body: { message } });
const queued = (message: string): Reply => ({ status: 202, body: { message } });
// the same whatever is wrong: who does not have the key learns nothing
const refused = () => forbidden('There is no such webhook, or its signature is not right.');

/** `github/` … of templates of a type (contract/jobs.md §23). */
export const receiverAction = (deps: ReceiverDeps, sender: Sender, receiving: Receiving): Action => ({
  access: { POST: everybody },
  summary: `Webhooks of ${sender.name}, signed with the key`,
  related: false,
  receives: { limitBytes },
  takes: { type: 'object' },
  answers: {
    POST: [200, 202].map((status) => ({
      status,
      schema: { type: 'object', properties: { message: { type: 'string' } } },
    })),
  },
  async handler(call, { id }) {
    const delivery: Delivery = { headers: call.headers, bytes: call.rawBody ?? Buffer.alloc(0) };
    const template = await judged(deps, sender, receiving, { id, delivery });
    const type = sender.type(call.headers);
    if (sender.isPing?.(type)) return ignored('The webhook works; nothing is started by a ping.');
    if (sender.starts?.(type) === false) return ignored(`Nothing is started by events of type ${type.slice(0, 100)}.`);
    const payload = await readPayload(delivery);
    const unwanted = receiving.pushesOnly && whyNot(sender, type, payload, template);
    if (unwanted) return ignored(unwanted);
    const numbers = { guid: sender.guid(delivery).slice(0, 128), digest: digestOf(delivery.bytes) };
    return start(deps, call, { sender, template, type, payload, ...numbers });
  },
});

async function judged(
  { db, keyRing }: ReceiverDeps,
  sender: Sender,
  { type, pushesOnly }: Receiving,
  { id, delivery }: { id: number; delivery: Delivery },
): Promise<TemplateRow> {
  const template: TemplateRow | undefined = await db('templates').where({ id, kind: type }).first(columns);
  if (template && pushesOnly && !template.scm_type) throw methodNotAllowed('POST', 'OPTIONS');
  if (!template || template.webhook_service !== sender.name || !template.webhook_key) throw refused();
  const unsigned = sender.isPing?.(sender.type(delivery.headers)) === 'unsigned';
  if (!unsigned && !sender.isSigned(delivery, openWebhookKey(keyRing, template))) throw refused();
  return template;
}

/** JSON, or the form that has it in `payload`. */
async function readPayload({ headers, bytes }: Delivery): Promise<Variables> {
  const text = bytes.toString('utf8');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  try {
    return await readVariables(JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text));
  } catch {
    throw new ApiError(400, 'JSON parse error - the body is no JSON object.');
  }
}

/** Why a push is nothing for a project. */
function whyNot(sender: Sender, type: string, payload: Variables, { webhook_ref_filter: filter }: TemplateRow) {
  const refs = sender.pushed(type, payload);
  if (!refs.length) return `Nothing is fetched for events of type ${type.slice(0, 100)}.`;
  return refs.some((ref) => matchesFilter(ref, filter)) ? undefined : 'The ref is none that is waited for.';
}

interface Judged {
  sender: Sender;
  template: TemplateRow;
  type: string;
  guid: string;
  /** of the body */
  digest: string;
  payload: Variables;
}

// two lookups by index
const known = `
  (select id from runs where template_id = :template and webhook_guid = :guid and webhook_guid <> '' limit 1)
  union all
  (select id from runs where template_id = :template and data->>'webhook_digest' = :digest and created > now() - interval '1 day' limit 1)`;

/** One run for a delivery, also where it comes twice at once; nobody signs its number, so what has the same body within a day is the same. */
async function start({ db, launch }: ReceiverDeps, { ip }: Call, delivery: Judged): Promise<Reply> {
  const { sender, template, type, guid, digest, payload } = delivery;
  const statusApi = sender.statusApi(type, payload);
  const request = {
    template: template.id,
    prompts: {},
    variables: variablesOf(delivery, statusApi),
    actor: null,
    authority: null,
    origin: { kind: 'webhook', id: template.id, client_ip: ip },
    waiting: false,
    columns: {
      webhook_service: sender.name,
      webhook_guid: guid,
      webhook_credential_id: template.webhook_credential_id,
      data: JSON.stringify({
        webhook_digest: digest,
        ...(statusApi && template.webhook_credential_id !== null && { webhook_status_api: statusApi }),
      }),
    },
  };
  const inserted = await db.transaction(async (trx): Promise<Inserted | undefined> => {
    for (const number of new Set([digest, guid]))
      // two at most, in this order for everybody
      // oxlint-disable-next-line no-await-in-loop
      await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, ?))', [number, template.id]);
    const { rows } = await trx.raw(known, { template: template.id, guid, digest });
    return rows.length ? undefined : launch.insert(trx, request);
  });
  if (!inserted) return queued('This webhook was received before; nothing is started again.');
  await launch.decide(inserted);
  return queued('Job queued.');
}

/** What the run is told of it (contract/jobs.md §8.2). */
function variablesOf({ sender, type, guid, payload }: Judged, statusApi: string): Record<string, unknown> {
  const values = {
    webhook_event_type: type,
    webhook_event_guid: guid,
    webhook_event_ref: sender.ref(type, payload),
    webhook_status_api: statusApi,
    webhook_payload: payload,
  };
  return underEachPrefix(values);
}
