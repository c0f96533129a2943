import { randomUUID } from 'node:crypto';
import type { Call, PluginApi } from '@tapline/plugin-sdk';
import { publishLogs } from '../live.ts';
import type { ReceivingRule } from './known-rules.ts';
import { keptHeaders } from './kept-headers.ts';

/** An event whose signature is wrong: that it came is kept, and nothing of what it said. */
export async function noteRefused(api: PluginApi, rule: ReceivingRule, call: Call): Promise<void> {
  const { db, table } = api;
  await db.transaction(async (trx) => {
    const logs = await trx(table('event_logs'))
      .insert({
        event_rule_id: rule.id,
        event_rule_name: rule.name,
        organization_id: rule.organization_id,
        source_type: rule.source_type,
        source_ip: call.ip,
        event_type: 'unknown',
        event_guid: randomUUID(),
        headers: JSON.stringify(keptHeaders(api, call)),
        status: 'signature_failed',
        error: 'The signature was missing or wrong.',
        finished: trx.fn.now(),
      })
      .returning(['id', 'event_rule_id']);
    await publishLogs(api, trx, logs, 'signature_failed');
  });
}
