import { defineResource, field, parameter, type PluginApi, type Resource } from '@tapline/plugin-sdk';
import type { DriftAccess } from '../access.ts';
import { unpacked } from '../facts/content.ts';

const bytes = (text: string) => Buffer.from(text, 'base64');
const ro = { mode: 'ro' } as const;

export const factSnapshotResource = ({ table }: Pick<PluginApi, 'table'>, { see }: DriftAccess): Resource =>
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
        sql: `jsonb_build_array(encode({alias}.content, 'base64'),
          (select encode(b.content, 'base64') from ${table('bases')} b where b.id = {alias}.base_id))`,
        help: 'All facts.',
      }),
    },
    parameters: parameter.between('captured_at'),
    present(shown, row, view) {
      if (view !== 'detail') return;
      const [content, base] = row['facts'] as unknown as [string, string | null];
      shown['facts'] = unpacked({ content: bytes(content), base: base === null ? null : bytes(base) });
    },
  });
