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
import { sameAs } from '../baseline.ts';
import type { Finding } from '../scanner.ts';

type Stored = Finding & { id: number; accepted: boolean };

/** `accept/`: what this result found counts no more for its scanner in its project; what comes new does. */
export const acceptAction = (api: PluginApi, administers: Rule): Action => ({
  summary: 'Has findings of it count no more for launches of that project',
  access: { POST: administers },
  fields: {
    reason: field.text({ required: true, max: 1024, help: 'Why they are accepted.' }),
    findings: field.list({ help: 'Numbers of those that are meant; without them all that are kept of the result.' }),
  },
  answers: { POST: { fields: { accepted: field.integer() } } },
  async handler(call, row) {
    const { scanner_id: scanner, project_id: project } = row;
    if (scanner === null || project === null)
      throw new ApiError(400, { detail: 'Its scanner or its project is gone: there is nothing to accept it for.' });
    const accepted = await api.db.transaction(async (trx) => {
      const all: Stored[] = await trx(api.table('findings')).where({ scan_result_id: row.id });
      const chosen = chosenOf(call.body['findings'], all);
      if (!chosen.length) return 0;
      await keep(api, trx, { call, row, chosen, all });
      await api.audit.record({
        action: 'accept',
        actor: call.actor,
        object: { type: 'scan_result', id: row.id, name: String(row['scanner_name']) },
        organization: row['organization_id'] as number | null,
        changes: { findings: chosen.length, reason: call.body['reason'] },
        trx,
      });
      return chosen.length;
    });
    return { status: 200, body: { accepted } };
  },
});

function chosenOf(given: unknown, all: readonly Stored[]): readonly Stored[] {
  if (given === undefined || given === null) return all;
  const ids = new Set(given as unknown[]);
  const chosen = all.filter(({ id }) => ids.has(id));
  if (chosen.length < ids.size)
    throw ValidationError.field('findings', 'Enter a list of numbers of findings of this result.');
  return chosen;
}

interface Choice {
  call: Call;
  row: Row;
  chosen: readonly Stored[];
  all: readonly Stored[];
}

/** A row for each kind of finding: as many as are accepted now, and were when the launch was judged. */
async function keep(api: PluginApi, trx: Knex, { call, row, chosen, all }: Choice): Promise<void> {
  const meant = new Set(chosen);
  const kinds = Map.groupBy(all, sameAs);
  const rows = [...kinds.values()].flatMap((same) => {
    if (!same.some((finding) => meant.has(finding))) return [];
    const { rule_id, file_path, message } = same[0]!;
    const times = same.filter((finding) => finding.accepted || meant.has(finding)).length;
    return {
      scanner_id: row['scanner_id'],
      project_id: row['project_id'],
      rule_id,
      file_path,
      message,
      times,
      reason: call.body['reason'],
      created_by_id: call.actor?.id ?? null,
    };
  });
  // in one order, so that two callers do not wait for each other
  const ordered = rows.toSorted((a, b) => (sameAs(a) < sameAs(b) ? -1 : 1));
  await trx(api.table('accepted'))
    .insert(ordered)
    .onConflict(trx.raw('(scanner_id, project_id, rule_id, md5(file_path), md5(message))'))
    .merge({
      times: trx.raw('greatest(accepted.times, excluded.times)'),
      reason: trx.raw('excluded.reason'),
      created: trx.raw('excluded.created'),
      created_by_id: trx.raw('excluded.created_by_id'),
    });
}
