import { defineResource, field, parameter, type Resource } from '@tapline/plugin-sdk';
import type { DriftAccess } from '../access.ts';
import { unpacked } from '../facts/content.ts';

const ro = { mode: 'ro' } as const;

export const factSnapshotResource = ({ see }: DriftAccess): Resource =>
  defineResource({
    type: 'fact_snapshot',
    path: 'fact_snapshots',
    table: 'snapshots',
    label: 'Fact snapshot',
    description: 'The facts of a host as a job found them, kept where they differ from those before.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see },
    orderBy: ['-id'],
    summary: ['id', 'captured_at', 'facts_hash'],
    fields: {
      host: field.ref('host', { ...ro, nullable: false }),
      job: field.ref('job', {
        ...ro,
        help: 'The job that found them; empty where nobody told of them, or it is gone.',
      }),
      inventory: field.ref('inventory', { ...ro, nullable: false }),
      organization: field.ref('organization', ro),
      captured_at: field.datetime(ro),
      facts_hash: field.string({
        ...ro,
        help: "SHA-256 of the facts as JSON with sorted keys, as Python's json.dumps(facts, sort_keys=True) writes it.",
      }),
      size: field.integer({ ...ro, help: 'Bytes of that JSON.' }),
      facts: field.json({
        ...ro,
        detailOnly: true,
        filterable: false,
        sql: `encode({alias}.content, 'base64')`,
        help: 'All facts.',
      }),
    },
    parameters: parameter.between('captured_at'),
    present(shown, row, view) {
      if (view === 'detail') shown['facts'] = unpacked(Buffer.from(String(row['facts']), 'base64'));
    },
  });
