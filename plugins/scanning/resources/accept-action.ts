import {
  type Action,
  ApiError,
  type Call,
  field,
  type Knex,
  type PluginApi,
  type Row,
  type Rule,
  ValidationError,
} from '@tapline/plugin-sdk';
import { type Kind, kindsOf, sameAs } from '../baseline.ts';
import type { Finding } from '../scanner.ts';

type Stored = Finding & { id: number; accepted: boolean };

/** `accept/`: what this result found counts no more for its scanner in its project; what comes new does. */
export const acceptAction = (api: PluginApi, administers: Rule): Action => ({
  summary: 'Has findings of it count no more for launches of that project',
  access: { POST: administers },
  fields: {
    reason: field.text({ required: true, max: 1024, help: 'Why they are accepted.' }),
    findings: field.list({ help: 'Numbers of those that are meant; without them all that it found.' }),
  },
  answers: { POST: { fields: { accepted: field.integer() } } },
  async handler(call, row) {
    const { scanner_id: scanner, project_id: project } = row;
    if (scanner === null || project === null)
      throw new ApiError(400, { detail: 'Its scanner or its project is gone: there is nothing to accept it for.' });
    const accepted = await api.db.transaction(async (trx) => {
      const { kinds, count } = await meantBy(api, trx, call, row);
      if (!count) return 0;
      await keep(api, trx, { call, row, kinds });
      await api.audit.record({
        action: 'accept',
        actor: call.actor,
        object: { type: 'scan_result', id: row.id, name: String(row['scanner_name']) },
        organization: row['organization_id'] as number | null,
        changes: { findings: count, reason: call.body['reason'] },
        trx,
      });
      return count;
    });
    return { status: 200, body: { accepted } };
  },
});

interface Meant {
  /** as many of each as are accepted now, and were when the launch was judged */
  kinds: Kind[];
  count: number;
}

/** Without numbers all that was found, also what is kept by its kind alone. */
async function meantBy(api: PluginApi, trx: Knex, { body }: Call, { id }: Row): Promise<Meant> {
  const given = body['findings'] as unknown[] | null | undefined;
  if (given === undefined || given === null) {
    const { kinds } = await trx(api.table('results')).where({ id }).first('kinds');
    if (kinds) return { kinds, count: (kinds as Kind[]).reduce((sum, { times }) => sum + times, 0) };
  }
  const all: Stored[] = await trx(api.table('findings')).where({ scan_result_id: id });
  const ids = new Set(given ?? all.map((finding) => finding.id));
  const chosen = all.filter((finding) => ids.has(finding.id));
  if (chosen.length < ids.size)
    throw ValidationError.field('findings', 'Enter a list of numbers of findings of this result.');
  const named = new Set(chosen.map(sameAs));
  const same = all.filter((finding) => named.has(sameAs(finding)));
  return { kinds: kindsOf(same, (finding) => finding.accepted || ids.has(finding.id)), count: chosen.length };
}

const atOnce = 1000;

async function keep(
  api: PluginApi,
  trx: Knex,
  { call, row, kinds }: { call: Call; row: Row; kinds: readonly Kind[] },
): Promise<void> {
  const common = {
    scanner_id: row['scanner_id'],
    project_id: row['project_id'],
    reason: call.body['reason'],
    created_by_id: call.actor?.id ?? null,
  };
  // in one order, so that two callers do not wait for each other
  const ordered = kinds.toSorted((a, b) => (sameAs(a) < sameAs(b) ? -1 : 1));
  for (let at = 0; at < ordered.length; at += atOnce)
    // a statement holds so many values
    // oxlint-disable-next-line no-await-in-loop
    await trx(api.table('accepted'))
      .insert(ordered.slice(at, at + atOnce).map((kind) => ({ ...common, ...kind })))
      .onConflict(trx.raw('(scanner_id, project_id, rule_id, md5(file_path), md5(message))'))
      .merge({
        times: trx.raw('greatest(accepted.times, excluded.times)'),
        reason: trx.raw('excluded.reason'),
        created: trx.raw('excluded.created'),
        created_by_id: trx.raw('excluded.created_by_id'),
      });
}
