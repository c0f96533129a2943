import { type Action, type PluginApi, type Rule } from '@tapline/plugin-sdk';
import { type StoredResult, sarifOf } from '../sarif.ts';
import type { Finding } from '../scanner.ts';

const schema = {
  type: 'object',
  required: ['$schema', 'version', 'runs'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { type: 'string', const: '2.1.0' },
    runs: { type: 'array', items: { type: 'object' } },
  },
};

/** `sarif/`: for whatever shows findings of other tools as well, code hosts and editors. */
export const sarifAction = (api: PluginApi, rule: Rule): Action => ({
  summary: 'The result with its findings as SARIF 2.1.0',
  access: { GET: rule },
  answers: { GET: { schema } },
  async handler(_call, row) {
    const findings: Finding[] = await api
      .db(api.table('findings'))
      .where({ scan_result_id: row.id })
      .orderBy('id')
      .select('rule_id', 'severity', 'file_path', 'line', 'message', 'accepted');
    const disposition = `attachment; filename="scan-${row.id}.sarif"`;
    return {
      status: 200,
      body: sarifOf({ ...(row as unknown as StoredResult), findings }),
      headers: { 'content-disposition': disposition },
    };
  },
});
