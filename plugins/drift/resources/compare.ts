import { type Action, authenticated, field, notFound, type PluginApi } from '@tapline/plugin-sdk';
import { compareSchema } from './compare-schema.ts';
import { compareSnapshots } from './compare-snapshots.ts';

/** `drift_detections/compare/`: two snapshots, of one host or of two. */
export const compareAction = (api: PluginApi): Action => ({
  access: { POST: authenticated },
  summary: 'What differs between two snapshots, of one host or of two',
  fields: {
    snapshot_a: field.integer({ required: true, min: 1 }),
    snapshot_b: field.integer({ required: true, min: 1 }),
    include_volatile: field.boolean({
      help: 'Also facts that change by themselves; ?include_volatile=true says the same.',
    }),
  },
  answers: { POST: { schema: compareSchema } },
  async handler({ body, query, visible }) {
    const ids: [number, number] = [Number(body['snapshot_a']), Number(body['snapshot_b'])];
    const seen = await visible('fact_snapshot', ids);
    for (const [at, id] of ids.entries())
      if (!seen.has(id)) throw notFound(`snapshot_${at ? 'b' : 'a'}: there is no snapshot ${id}.`);
    const withVolatile = body['include_volatile'] === true || query.get('include_volatile') === 'true';
    return { status: 200, body: await compareSnapshots(api, ids, { withVolatile }) };
  },
});
