import type { CoreRunRow } from '@tapline/plugin-sdk';
import { z } from 'zod';
import type { QueuedHook, QueuedPayloads } from './hooks.ts';

const id = z.int().positive();
const hash = z.string().nullable();

/** Of what lies in the queue; strict only in what taps rely on. */
export const payloadSchemas: { [H in QueuedHook]: z.ZodType<QueuedPayloads[H]> } = {
  onStatusChange: z.looseObject({
    run_id: id,
    kind: z.string(),
    template_id: id.nullable(),
    seq: z.int(),
    from: z.string(),
    to: z.string(),
    at: z.string(),
  }),
  afterFinish: z.looseObject({
    run: z.looseObject({ id, status: z.string() }) as unknown as z.ZodType<CoreRunRow>,
  }),
  onFactsUpdated: z.looseObject({
    run_id: id,
    part: z.int().min(0).optional(),
    hosts: z.array(z.object({ host_id: id, old_hash: hash, new_hash: z.string() })),
  }),
};
